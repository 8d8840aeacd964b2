// Agents are halted while they act on two instances with two workers each, which are killed: no act is sealed behind a halt.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { canonicalize } from '@assay/json';
import { assertOk, buildDecision } from '../../setup/personas.ts';
import { usePair } from './pairs.ts';

const HALTS = Number(process.env.ASSAY_TEST_HALTS ?? 1_000);
const KILLS = Number(process.env.ASSAY_TEST_KILLS ?? 40);
/** Agents that act at the same time, and what acts for each. */
const AGENTS = 8;
const POSTERS = 4;
/** The time for which they go on after the halt. */
const AFTER_MS = 100;
/** The longest time, of 99 in 100, from the answer of a halt to the last answer that lets the agent act. */
const LATEST_MS = 250;

interface Round {
  agent: string;
  /** The sequence of the halt. */
  halt: number;
  /** From the request to the answer. */
  answerMs: number;
  /** From the answer of the halt to the last one that let the agent act. */
  lastMs: number;
}

const pair = usePair();
const now = (): number => performance.now();
const percentile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0;

async function haltWhileItActs(
  at: number,
  { token, key }: { token: string; key: string },
): Promise<Round> {
  const agent = `bot-${at}`;
  let [approved, lastAct, haltedAt] = [0, 0, Infinity];
  const noteAct = (): void => {
    approved += 1;
    lastAct = now();
  };
  const act = async (poster: number): Promise<void> => {
    for (let count = 0; now() < haltedAt + AFTER_MS; count++) {
      const action = { tool: 'pay', agent, poster, count };
      const headers = { 'idempotency-key': `${agent}-${poster}-${count}` };
      const body = buildDecision(agent, { outputDecision: { action } });
      const on = at + poster + count;
      const decided = await pair.insistOn('traces', { key, headers, body }, on);
      if (decided.status !== 201) continue;
      noteAct();
      const text = canonicalize(action);
      const rawActionDigest = createHash('sha256').update(text).digest('hex');
      const path = `traces/${decided.body.data.traceId}/executions`;
      const claim = { key, headers, body: { rawActionDigest } };
      if ((await pair.insistOn(path, claim, on)).status === 201) noteAct();
    }
  };
  const acting = Promise.all(Array.from({ length: POSTERS }, (_, poster) => act(poster)));
  while (approved < POSTERS) await sleep(5);
  const askedAt = now();
  const body = { scope: 'agent', target: agent };
  const { hashChain } = assertOk(await pair.insistOn('halts', { token, body }, at)).body.data;
  haltedAt = now();
  await acting;
  const lastMs = Math.max(0, lastAct - haltedAt);
  return { agent, halt: hashChain.sequence, answerMs: haltedAt - askedAt, lastMs };
}

/** The acts of an agent behind its halt, and how many there are before it. */
async function readActs({ agent, halt }: Round) {
  const ledger = pair.db().collection('ledger');
  const decisions = await ledger.find({ kind: 'trace', agentId: agent }).toArray();
  const traceIds = decisions.map(({ traceId }) => traceId as string);
  const later = await ledger.find({ kind: 'execution', traceId: { $in: traceIds } }).toArray();
  const acts = [...decisions, ...later]
    .map((entry) => ({ sequence: entry['sequence'] as number, ...JSON.parse(entry['view']) }))
    .filter(({ kind, status, state }) =>
      kind === 'trace' ? status === 'approved' : state === 'claimed',
    );
  return {
    before: acts.filter(({ sequence }) => sequence < halt).length,
    behind: acts.filter(({ sequence }) => sequence > halt),
  };
}

test('nothing is let go on behind a halt, on any instance', { timeout: 3_600_000 }, async () => {
  const owner = await pair.register();
  let next = 0;
  const rounds: Round[] = [];
  const work = async (): Promise<void> => {
    while (next < HALTS) rounds.push(await haltWhileItActs(next++, owner));
  };
  const working = Promise.all(Array.from({ length: AGENTS }, work));
  const { killed } = await pair.killDuring(working, KILLS);
  for (const round of rounds) {
    const { before, behind } = await readActs(round);
    expect(behind).toEqual([]);
    expect(before).toBeGreaterThanOrEqual(POSTERS);
  }
  const p99 = (read: (round: Round) => number): number => percentile(rounds.map(read), 0.99);
  const answerMs = p99((round) => round.answerMs);
  const lastMs = p99((round) => round.lastMs);
  console.log(JSON.stringify({ halts: rounds.length, killed, answerMs, lastMs }));
  expect(rounds).toHaveLength(HALTS);
  expect(killed).toBeGreaterThan(KILLS / 4);
  expect(lastMs).toBeLessThanOrEqual(LATEST_MS);
  const verified = await pair.call('hash-chain/verify', { token: owner.token, body: {} });
  expect(verified.body.data).toMatchObject({ verified: true });
});
