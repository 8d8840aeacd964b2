// Requests within every limit that are as expensive as possible; measures whether `/health` still answers beside each.
import { readFileSync, writeFileSync } from 'node:fs';
import { computeMedian } from '../rows.ts';
import { createSelfSigned } from '../../test/setup/providers/self-signed.ts';
import type { Attack } from './attack.ts';
import type { Scene } from '../stage.ts';
import { callApi } from '../tenants.ts';

/** Bytes just below the limit of ingestion. */
const BODY = 1_400_000;
const AGENT = 'attacker';
/** Bytes of JSON that a free member takes. */
const FREE = 100_000;

const fillText = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const createList = (length: number, item: (i: number) => unknown): unknown[] =>
  Array.from({ length }, (_, i) => item(i));
const createKeyed = (length: number, key: (i: number) => string): object =>
  Object.fromEntries(createList(length, (i) => [key(i), 1]) as [string, number][]);

/** A decision whose prompt, output or metadata is hostile. */
const createDecisionText = (members: object): string =>
  JSON.stringify({
    agentId: AGENT,
    inputContext: { prompt: 'p' },
    outputDecision: { action: 'act' },
    ...members,
  });
/** The same text wherever a decision takes one, as long as it may be. */
function fillEverywhere(unit: string): string {
  const fillCharacters = (most: number): string => unit.repeat(Math.floor(most / [...unit].length));
  const fillBytes = (most: number): string =>
    unit.repeat(Math.floor(most / Buffer.byteLength(unit)));
  const text = fillCharacters(50_000);
  const free = { text: fillBytes(FREE) };
  return createDecisionText({
    inputContext: { prompt: text, systemPrompt: text, context: free, more: fillBytes(FREE) },
    outputDecision: {
      action: fillBytes(10_000),
      rationale: text,
      toolCalls: [free],
      more: fillBytes(FREE),
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
const createOutput = (value: unknown): string =>
  createDecisionText({ outputDecision: { action: 'act', toolCalls: value } });

const bodies: Readonly<Record<string, string>> = {
  'card numbers': fillEverywhere('4111 '),
  'telephone numbers': fillEverywhere('+1 2 3 4 5 6 7 8 '),
  addresses: fillEverywhere('a@b.co '),
  'addresses that never end': fillEverywhere('a@a.'),
  'escaped addresses': fillEverywhere('a%40'),
  credentials: fillEverywhere('Bearer eyJa.'),
  'mathematical digits': fillEverywhere('𝟘'),
  labels: fillEverywhere('ssn 1234567 '),
  amounts: createOutput(createList(5, () => ({ amount: createList(9_900, () => 1) }))),
  'too many amounts': createOutput(createList(5, () => ({ amount: createList(48_000, () => 1) }))),
  'tool calls': createOutput(
    createList(50, (i) => ({ name: `tool ${i}`, arguments: '{"amount": 1}' })),
  ),
  'card numbers as numbers': createOutput(
    createList(20, (i) => ({ n: createList(500, (k) => 4_111_111_111_111_111 + i * 500 + k) })),
  ),
  'many keys': createDecisionText({ metadata: createKeyed(5_000, (i) => `${i}@a.co`) }),
  'too many keys': createDecisionText({ metadata: createKeyed(40_000, (i) => `${i}@a.co`) }),
  'wide lists': createDecisionText({ metadata: { list: createList(24_000, () => []) } }),
  'no JSON': fillText('[', BODY),
  'no decision': JSON.stringify(createKeyed(49_000, (i) => `unknown${i}`)),
};

/** The largest metadata, of the most elements that are read. */
const createMetadata = (): string =>
  `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${fillText('<a b="c"/>', 500_000)}</md:EntitiesDescriptor>`;

const createPolicyText = (value: string): string =>
  JSON.stringify({
    name: 'hostile',
    enabled: false,
    conditions: createList(50, () => ({ field: 'output.text', operator: 'regex', value })),
    actions: [{ type: 'flag_for_review' }],
  });

/** Characters of a rule source at most. */
const SOURCE = 100_000;
const createRuleSource = (condition: string): string =>
  JSON.stringify({ adl: `policy "R"\nwhen\n${condition}`.slice(0, SOURCE) });

/** Forms of this size are the largest that providers' messages may take. */
const FORM = 5_000_000;
const FORM_TYPE = 'application/x-www-form-urlencoded';
const encodeForm = (name: string, xml: string): string =>
  `${name}=${encodeURIComponent(Buffer.from(xml).toString('base64'))}`.slice(0, FORM);
const signature =
  '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo/></ds:Signature>';
const wrapLogout = (content: string): string =>
  `<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol">${content}</samlp:LogoutRequest>`;

/** Logout messages that no provider has signed, sent by strangers. */
const forgedLogouts: readonly Attack[] = [
  ...Object.entries({
    elements: wrapLogout(fillText('<a b="c"/>', 300_000)),
    signatures: wrapLogout(fillText(signature, 300_000)),
    noise: fillText('<!-- -', 3_000_000),
  }).map(([name, xml]): Attack => ({
    name: `forged logout of ${name}`,
    method: 'POST',
    path: '/api/v1/auth/saml/logout/callback?org=:organizationId',
    contentType: FORM_TYPE,
    body: encodeForm('SAMLRequest', xml),
  })),
  {
    name: 'forged logout token',
    method: 'POST',
    path: '/api/v1/auth/sso/backchannel-logout/:organizationId',
    contentType: FORM_TYPE,
    body: `logout_token=${fillText('eyJhbGciOiJSUzI1NiJ9.', 90_000)}`,
  },
];

/** Downloads whose reader is gone in the middle of the work. */
const abandonedDownloads: readonly Attack[] = [
  'traces/export',
  'hash-chain/export',
  'audit/export/pdf',
].flatMap((file) =>
  [5, 50].map((leaveMs): Attack => ({
    name: `${file}, left after ${leaveMs} ms`,
    method: 'GET',
    path: `/api/v1/${file}`,
    leaveMs,
  })),
);

export const attacks: readonly Attack[] = [
  ...forgedLogouts,
  ...abandonedDownloads,
  ...Object.entries(bodies).map(([name, body]): Attack => ({
    name,
    method: 'POST',
    path: '/api/v1/traces',
    body,
  })),
  {
    name: 'metadata of a provider',
    method: 'POST',
    path: '/api/v1/organization/sso/metadata',
    body: JSON.stringify({ xml: createMetadata() }),
  },
  ...['^(a+)+$', '(x+x+)+y', '(?:a|b)*a(?:a|b){60}c$', fillText('[a-c]', 950)].map(
    (value): Attack => ({
      name: `policy ${value}`,
      method: 'POST',
      path: '/api/v1/policies',
      body: createPolicyText(value),
    }),
  ),
  ...[
    `outputDecision.action.matches(r"${fillText('(a+)+', SOURCE - 200)}")\nthen block {}`,
    fillText('a.', SOURCE),
    fillText('\n', SOURCE),
  ].map((condition, i): Attack => ({
    name: `rule source ${i + 1}`,
    method: 'POST',
    path: '/api/v1/policies/_new/validate-adl',
    body: createRuleSource(condition),
  })),
  { name: 'longest query', method: 'GET', path: `/api/v1/traces?search=${fillText('a+', 7_000)}` },
  {
    name: 'unknown ids',
    method: 'POST',
    path: '/api/v1/traces/bulk-status',
    body: JSON.stringify({ ids: createList(100_000, (i) => `${i}`), status: 'pending' }),
  },
];

/** Reads the resident memory in MB: current, and the peak since `forgetPeak`. */
export function readMemory(pid: number): { now: number; most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const readStatus = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? NaN) / 1024;
  return { now: readStatus('VmRSS'), most: readStatus('VmHWM') };
}

/** Resets the kernel's peak memory of a process. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Blocks of each attack, in turns: other load on the machine affects one block, the attack affects all. */
const BLOCKS = 3;

/** Measures the worst attack: p99 of `/health` in milliseconds, and growth of the process in MB; medians of blocks. */
export async function measureHostile(scene: Scene): Promise<{ ms: number; mb: number }> {
  await useSaml(scene);
  const worst = { ms: 0, mb: 0 };
  for (const attack of attacks) {
    const blocks = [];
    for (let i = 0; i < BLOCKS; i++) blocks.push(await scene.runWhileAttacked(attack));
    const ms = blocks.map(({ p99 }) => p99);
    const mb = blocks.map(({ growthMb }) => growthMb);
    console.error(`  ${attack.name}: ${formatFigures(ms)} ms, ${formatFigures(mb)} MB`);
    worst.ms = Math.max(worst.ms, computeMedian(ms));
    worst.mb = Math.max(worst.mb, computeMedian(mb));
  }
  return worst;
}

/** Gives the organisation a provider, whose messages are forged. */
async function useSaml({ url, organizations: [organization] }: Scene): Promise<void> {
  const saml = {
    entityId: 'urn:idp',
    ssoUrl: 'https://idp.example.org/sso',
    certificates: [createSelfSigned('bench').certificate],
  };
  await callApi(`${url}/api/v1/organization/sso`, {
    method: 'PUT',
    token: organization?.token ?? '',
    body: { provider: 'saml', saml },
  });
}

const formatFigures = (figures: readonly number[]): string =>
  figures.map((figure) => figure.toFixed(0)).join(' ');
