// Requests within every limit that are as expensive as possible; measures whether `/health` still answers beside each.
import { readFileSync, writeFileSync } from 'node:fs';
import { median } from './rows.ts';
import type { Attack, Scene } from './stage.ts';

/** Bytes just below the limit of ingestion. */
const BODY = 1_400_000;
const AGENT = 'attacker';
/** Bytes of JSON that a free member takes. */
const FREE = 100_000;

const fill = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const listOf = (length: number, item: (i: number) => unknown): unknown[] =>
  Array.from({ length }, (_, i) => item(i));
const keyed = (length: number, key: (i: number) => string): object =>
  Object.fromEntries(listOf(length, (i) => [key(i), 1]) as [string, number][]);

/** A decision whose prompt, output or metadata is hostile. */
const decision = (members: object): string =>
  JSON.stringify({
    agentId: AGENT,
    inputContext: { prompt: 'p' },
    outputDecision: { action: 'act' },
    ...members,
  });
/** The same text wherever a decision takes one, as long as it may be. */
function everywhere(unit: string): string {
  const characters = (most: number): string => unit.repeat(Math.floor(most / [...unit].length));
  const bytes = (most: number): string => unit.repeat(Math.floor(most / Buffer.byteLength(unit)));
  const text = characters(50_000);
  const free = { text: bytes(FREE) };
  return decision({
    inputContext: { prompt: text, systemPrompt: text, context: free, more: bytes(FREE) },
    outputDecision: {
      action: bytes(10_000),
      rationale: text,
      toolCalls: [free],
      more: bytes(FREE),
    },
    rationale: text,
    metadata: free,
    adapter: free,
    mlBomReference: free,
    art12: free,
    conversation: free,
    crew: free,
  });
}
const output = (value: unknown): string =>
  decision({ outputDecision: { action: 'act', toolCalls: value } });

const bodies: Readonly<Record<string, string>> = {
  'card numbers': everywhere('4111 '),
  'telephone numbers': everywhere('+1 2 3 4 5 6 7 8 '),
  addresses: everywhere('a@b.co '),
  'addresses that never end': everywhere('a@a.'),
  'escaped addresses': everywhere('a%40'),
  credentials: everywhere('Bearer eyJa.'),
  'mathematical digits': everywhere('𝟘'),
  labels: everywhere('ssn 1234567 '),
  amounts: output(listOf(5, () => ({ amount: listOf(9_900, () => 1) }))),
  'too many amounts': output(listOf(5, () => ({ amount: listOf(48_000, () => 1) }))),
  'tool calls': output(listOf(50, (i) => ({ name: `tool ${i}`, arguments: '{"amount": 1}' }))),
  'card numbers as numbers': output(
    listOf(20, (i) => ({ n: listOf(500, (k) => 4_111_111_111_111_111 + i * 500 + k) })),
  ),
  'many keys': decision({ metadata: keyed(5_000, (i) => `${i}@a.co`) }),
  'too many keys': decision({ metadata: keyed(40_000, (i) => `${i}@a.co`) }),
  'wide lists': decision({ metadata: { list: listOf(24_000, () => []) } }),
  'no JSON': fill('[', BODY),
  'no decision': JSON.stringify(keyed(49_000, (i) => `unknown${i}`)),
};

const policy = (value: string): string =>
  JSON.stringify({
    name: 'hostile',
    enabled: false,
    conditions: listOf(50, () => ({ field: 'output.text', operator: 'regex', value })),
    actions: [{ type: 'flag_for_review' }],
  });

/** Characters of a rule source at most. */
const SOURCE = 100_000;
const ruleSource = (condition: string): string =>
  JSON.stringify({ adl: `policy "R"\nwhen\n${condition}`.slice(0, SOURCE) });

export const attacks: readonly Attack[] = [
  ...Object.entries(bodies).map(([name, body]): Attack => ({
    name,
    method: 'POST',
    path: '/api/v1/traces',
    body,
  })),
  ...['^(a+)+$', '(x+x+)+y', '(?:a|b)*a(?:a|b){60}c$'].map((value): Attack => ({
    name: `policy ${value}`,
    method: 'POST',
    path: '/api/v1/policies',
    body: policy(value),
  })),
  ...[
    `outputDecision.action.matches(r"${fill('(a+)+', SOURCE - 200)}")\nthen block {}`,
    fill('a.', SOURCE),
    fill('\n', SOURCE),
  ].map((condition, i): Attack => ({
    name: `rule source ${i + 1}`,
    method: 'POST',
    path: '/api/v1/policies/_new/validate-adl',
    body: ruleSource(condition),
  })),
  { name: 'longest query', method: 'GET', path: `/api/v1/traces?search=${fill('a+', 7_000)}` },
  {
    name: 'unknown ids',
    method: 'POST',
    path: '/api/v1/traces/bulk-status',
    body: JSON.stringify({ ids: listOf(100_000, (i) => `${i}`), status: 'pending' }),
  },
];

/** Reads the resident memory in MB: current, and the peak since `forgetPeak`. */
export function memoryOf(pid: number): { now: number; most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const read = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? NaN) / 1024;
  return { now: read('VmRSS'), most: read('VmHWM') };
}

/** Resets the kernel's peak memory of a process. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Blocks of each attack, in turns: other load on the machine affects one block, the attack affects all. */
const BLOCKS = 3;

/** Measures the worst attack: p99 of `/health` in milliseconds, and growth of the process in MB; medians of blocks. */
export async function measureHostile(scene: Scene): Promise<{ ms: number; mb: number }> {
  const worst = { ms: 0, mb: 0 };
  for (const attack of attacks) {
    const blocks = [];
    for (let i = 0; i < BLOCKS; i++) blocks.push(await scene.whileAttacked(attack));
    const ms = blocks.map(({ p99 }) => p99);
    const mb = blocks.map(({ growthMb }) => growthMb);
    console.error(`  ${attack.name}: ${shown(ms)} ms, ${shown(mb)} MB`);
    worst.ms = Math.max(worst.ms, median(ms));
    worst.mb = Math.max(worst.mb, median(mb));
  }
  return worst;
}

const shown = (figures: readonly number[]): string =>
  figures.map((figure) => figure.toFixed(0)).join(' ');
