// Ends a run with what the witnessed log proves: every decision under a witnessed head, a kept promise and a broken one.
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatVerifierKey, parseVerifierKey } from '@assay/tlog';
import type { Instance } from '../../src/instance.ts';
import type { Api } from './api.ts';
import type { Evidence } from './evidence.ts';
import { count, printLine } from './screen.ts';
import type { DemoWitness } from './witness.ts';

const VERIFIER = join(import.meta.dirname, '../verify-bundle.ts');
/** Time in which an entry is sealed and witnessed, with room for a slow machine. */
const SEALED_MS = 60_000;
const LOOK_MS = 500;
const ATTEMPTS = 5;
/** Seconds of a promise in the demo, whose logs are sealed every ten. */
export const DEMO_PROMISE_SECONDS = 1;

interface Anchor {
  anchorId: string;
  origin: string;
  treeSize: number;
  witnessed: boolean;
}

interface LogKeys {
  heads: string[];
  promises: string[];
}

interface Answered {
  hashChain: { sequence: number; promise: object | null };
}

export interface LogJob {
  instance: Instance;
  api: Api;
  token: string;
  /** The key of the workspace, which posts a last decision. */
  key: string;
  witness: DemoWitness;
  /** File that names the witness. */
  policy: string;
  folder: string;
}

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`GET ${url} was refused: ${await response.text()}`);
  return response.text();
}

/** Waits until an anchor that witnesses have signed covers a sequence. */
async function awaitAnchor({ instance, api, token }: LogJob, sequence: number): Promise<Anchor> {
  for (const end = performance.now() + SEALED_MS; performance.now() < end; await sleep(LOOK_MS)) {
    await instance.runJobsOnce();
    const [anchor] = await api.get<Anchor[]>('/api/v1/hash-chain/anchors?limit=1', token);
    if (anchor && anchor.treeSize >= sequence && anchor.witnessed) return anchor;
  }
  throw new Error('The log was not witnessed in time');
}

/** Runs the verifier, and prints the command and what it says; returns whether the verdict is the expected one. */
function runVerifier(args: readonly string[], expected: number): boolean {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), VERIFIER, ...args],
    { encoding: 'utf8' },
  );
  const command = ['npx', 'tsx', relative('', VERIFIER), ...args].join(' ');
  printLine(`  $ ${command}\n${(stdout + stderr).trimEnd().replaceAll(/^/gm, '  ')}`);
  return status === expected;
}

/** The key of a log: that of the heads log under another name. */
function renameKey(headsKey: string, origin: string): string {
  const key = parseVerifierKey(headsKey);
  if (!key) throw new Error('The installation shows no key of its logs');
  return formatVerifierKey({ ...key, name: origin });
}

interface BrokenFiles {
  /** The answer that carries the promise. */
  late: string;
  /** What the witness saw after the promise was due. */
  seen: string;
}

/** Posts a decision, and looks after its promise is due; returns whether the log did not cover it then. */
async function postLate(
  job: LogJob,
  { origin, attempt, files }: { origin: string; attempt: number; files: BrokenFiles },
): Promise<boolean> {
  const { api, key, witness, instance } = job;
  const body = {
    agentId: 'demo',
    // The same bytes would get the same answer.
    inputContext: { prompt: `Will this decision be in the log in time? (${attempt})` },
    outputDecision: { action: 'reply', rationale: 'It is promised sooner than it is sealed.' },
  };
  const answered = await api.post<Answered>('/api/v1/traces', body, key);
  await writeFile(files.late, JSON.stringify(answered));
  await sleep((DEMO_PROMISE_SECONDS + 1) * 1000);
  const seen = await fetchText(`${instance.url}/log/${origin.split('/').at(-1)}/checkpoint`);
  await writeFile(files.seen, await witness.signSeen(seen));
  return Number(seen.split('\n')[1]) < answered.hashChain.sequence;
}

/** A log that was just sealed is not sealed again for ten seconds, so the second attempt comes in time at the latest. */
async function recordBrokenPromise(job: LogJob, origin: string, files: BrokenFiles): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++)
    if (await postLate(job, { origin, attempt, files })) return;
}

/** Shows what outsiders can prove; true when every verdict is the expected one. */
export async function showWitnessedLog(
  job: LogJob,
  { bundle, receipt }: Pick<Evidence, 'bundle' | 'receipt'>,
): Promise<boolean> {
  const { instance, api, token, witness, policy, folder } = job;
  const toPath = (name: string): string => relative('', join(folder, name));
  const keys = JSON.parse(await fetchText(`${instance.url}/.well-known/assay-log`)) as LogKeys;
  const [headsKey = '', promiseKey = ''] = [...keys.heads.slice(0, 1), ...keys.promises];
  witness.addLog(headsKey);
  const { lastSequence } = await api.get<{ lastSequence: number }>(
    '/api/v1/hash-chain/status',
    token,
  );
  const { anchorId, origin, treeSize } = await awaitAnchor(job, lastSequence);
  const at = `/api/v1/hash-chain/anchors/${anchorId}/tlog-proof`;
  const [entry, heads, own] = ['entry.tlog-proof', 'heads.tlog-proof', 'own.tlog-proof'].map(
    toPath,
  );
  const { hashChain } = JSON.parse(await readFile(receipt, 'utf8')) as Answered;
  await api.saveFile(`${at}?sequence=${lastSequence}`, token, entry!);
  await api.saveFile(at, token, heads!);
  await api.saveFile(`${at}?sequence=${hashChain.sequence}`, token, own!);
  const whole = toPath('whole.json');
  await api.saveFile('/api/v1/hash-chain/export?fromSequence=1', token, whole);
  const files = { late: toPath('late.json'), seen: toPath('seen.checkpoint') };
  await recordBrokenPromise(job, origin, files);
  const trust = ['--log', renameKey(headsKey, origin), '--log', headsKey, '--policy', policy];

  printLine(
    `\nThe witnessed log: ${count(treeSize)} entries under one signed head, which a witness has signed too\n`,
  );
  const isWitnessed = runVerifier([whole, '--proof', entry!, '--proof', heads!, ...trust], 0);

  printLine('\nThe answer to the newest posted decision promised that it would be there: kept\n');
  const promise = ['--promise-key', promiseKey, '--log', renameKey(headsKey, origin)];
  const isKept = runVerifier([bundle, '--promise', receipt, ...promise, '--proof', own!], 0);

  printLine(
    `\nThis demo promises ${DEMO_PROMISE_SECONDS} second and seals every ten: a witness that looks in between has the proof\n`,
  );
  const broken = ['--promise', files.late, ...promise, '--checkpoint', files.seen];
  const isBroken = runVerifier([...broken, '--policy', policy], 1);
  return isWitnessed && isKept && isBroken;
}
