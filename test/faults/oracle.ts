// The oracle of fault tests: checks the interface, the database and the independent verifier after every fault.
import { setTimeout as sleep } from 'node:timers/promises';
import type mongoose from 'mongoose';
import { expect } from 'vitest';
import { readPin, verifyBundle } from '@assay/verifier';
import { packPrefixes } from '../../src/domain/search/hash-prefixes.ts';
import { unpackDecisions } from '../../src/domain/search/word-segment.ts';
import { toCiphertext } from '../../src/ledger/contents/contents.ts';
import { toWordSegment } from '../../src/decisions/traces/search/word-segments.ts';
import type { WordSegmentDocument } from '../../src/decisions/traces/search/word-segments.model.ts';
import type { TraceDocument } from '../../src/decisions/traces/traces.model.ts';
import { post, type Acknowledged } from './load.ts';

export interface Subject {
  url: string;
  db: mongoose.mongo.Db;
  token: string;
  apiKey: string;
  organizationId: string;
  agentId: string;
  acknowledged: readonly Acknowledged[];
}

type Stored = Pick<
  TraceDocument,
  'traceId' | 'sequence' | 'chainHash' | 'verdict' | 'review' | 'matchedPolicyIds' | 'usage'
>;

/** The transaction of a consumer that was killed holds its cursor until mongod ends it, after 60 seconds. */
const CATCH_UP_MS = 150_000;
const REPLAYED = 200;

export async function assertOracle(subject: Subject): Promise<void> {
  const last = await post(subject.url, subject.apiKey, {
    key: `last-${Date.now()}`,
    body: closing(subject.agentId),
  });
  if (!last) throw new Error('the service does not take decisions after the fault');
  const all = [...subject.acknowledged, last];
  const traces = await subject.db
    .collection<Stored>('ledger')
    .find({ kind: 'trace' } as object)
    .sort({ sequence: 1 })
    .toArray();
  assertAcknowledged(all, traces);
  assertReviews(traces);
  assertUsage(traces);
  await assertReplays(subject);
  await assertBundle(subject, last);
  await assertConsumers(subject, traces);
  await assertAuditChain(subject);
}

function closing(agentId: string): object {
  return {
    agentId,
    inputContext: { prompt: `Closing ${Date.now()}` },
    outputDecision: {
      action: 'reply',
      rationale: 'The run is over and this is its last decision.',
    },
  };
}

/** Checks that every acknowledged decision is present once as answered, and an unacknowledged one at most once. */
function assertAcknowledged(
  acknowledged: readonly Acknowledged[],
  traces: readonly Stored[],
): void {
  const byId = new Map(traces.map((trace) => [trace.traceId, trace]));
  expect(byId.size, 'trace ids are unique').toBe(traces.length);
  expect(new Set(acknowledged.map(({ traceId }) => traceId)).size, 'one trace per key').toBe(
    new Set(acknowledged.map(({ key }) => key)).size,
  );
  for (const { traceId, verdict, receipt } of acknowledged) {
    const { sequence, chainHash, verdict: stored } = byId.get(traceId) ?? {};
    expect({ traceId, sequence, chainHash, verdict: stored }).toEqual({
      traceId,
      sequence: receipt.sequence,
      chainHash: receipt.chainHash,
      verdict,
    });
  }
}

function assertReviews(traces: readonly Stored[]): void {
  const flagged = traces.filter(({ verdict }) => verdict === 'flagged');
  expect(traces.filter(({ review }) => review).length, 'one review item per flagged trace').toBe(
    flagged.length,
  );
  expect(new Set(flagged.map(({ review }) => String(review?._id))).size).toBe(flagged.length);
}

function assertUsage(traces: readonly Stored[]): void {
  const months = new Map<string, number>();
  for (const { usage } of traces) {
    const count = (months.get(usage.month) ?? 0) + 1;
    months.set(usage.month, count);
    expect(usage.count, 'ordinals of the month have no gap').toBe(count);
  }
}

/** Checks that a retry gives the same trace and verdict. */
async function assertReplays({ url, apiKey, acknowledged }: Subject): Promise<void> {
  const step = Math.max(1, Math.floor(acknowledged.length / REPLAYED));
  for (let index = 0; index < acknowledged.length; index += step) {
    const before = acknowledged[index] as Acknowledged;
    const again = await post(url, apiKey, before);
    expect(again).toEqual(before);
  }
}

async function get(url: string, token: string): Promise<Response> {
  return fetch(url, { headers: { authorization: `Bearer ${token}` } });
}

/** Checks that the exported chain is intact up to the last receipt, with a verifier that shares no server code. */
async function assertBundle(
  { url, token, organizationId }: Subject,
  last: Acknowledged,
): Promise<void> {
  const exported = await get(`${url}/api/v1/hash-chain/export?fromSequence=1`, token);
  expect(exported.status).toBe(200);
  const lines = (await exported.text()).split('\n').filter((line) => line !== '');
  const pin = readPin({ ...last.receipt, traceId: last.traceId, createdAt: last.createdAt });
  if (!pin) throw new Error('the receipt is no pin');
  const report = await verifyBundle(asLines(lines), { organizationId, pins: [pin] });
  expect({
    verdict: report.verdict,
    problems: report.problems,
    first: report.firstSequence,
  }).toEqual({
    verdict: 'intact',
    problems: [],
    first: 1,
  });
}

async function* asLines(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

/** Checks that every consumer has caught up and that its effects are there exactly once. */
async function assertConsumers({ db, agentId }: Subject, traces: readonly Stored[]): Promise<void> {
  const head = (await db.collection('ledger').find().sort({ sequence: -1 }).limit(1).next())
    ?.sequence as number;
  const until = Date.now() + CATCH_UP_MS;
  // No client searches by meaning, so no vectors are indexed.
  const behind = { sequence: { $lt: head }, consumer: { $not: /^trace-vectors/ } };
  while ((await db.collection('cursors').countDocuments(behind)) > 0) {
    if (Date.now() > until) throw new Error('a consumer does not catch up');
    await sleep(100);
  }
  expect(await db.collection('parked').countDocuments(), 'no entry was put aside').toBe(0);
  const count = (verdict: string): number =>
    traces.filter((trace) => trace.verdict === verdict).length;
  const verdicts = {
    approved: count('approved'),
    flagged: count('flagged'),
    blocked: count('blocked'),
  };
  const activity = await db.collection('agent_activity').findOne({ _id: { $exists: true } });
  expect({ agentId: String(activity?._id), verdicts: activity?.verdicts as object }).toEqual({
    agentId,
    verdicts,
  });
  const statistics = await db.collection('policy_statistics').find().toArray();
  const matches = traces.reduce((sum, { matchedPolicyIds }) => sum + matchedPolicyIds.length, 0);
  expect(
    statistics.reduce((sum, { matchCount }) => sum + Number(matchCount), 0),
    'matches of policies',
  ).toBe(matches);
  const segments = await db.collection<WordSegmentDocument>('word_segments').find().toArray();
  const searched = segments.flatMap((segment) => [...unpackDecisions(toWordSegment(segment))]);
  expect(
    searched.map(({ sequence }) => sequence).sort((a, b) => a - b),
    'the words of each decision stand in one segment, once',
  ).toEqual(traces.map(({ sequence }) => sequence).sort((a, b) => a - b));
  const rows = await db.collection('hash_segments').find().sort({ from: 1 }).toArray();
  const chain = await db.collection('ledger').find().sort({ sequence: 1 }).toArray();
  expect(
    Buffer.concat(rows.map(({ prefixes }) => toCiphertext(prefixes) as Uint8Array)),
    'the hash of each entry stands in one segment, once, in its place',
  ).toEqual(packPrefixes(chain.map(({ chainHash }) => String(chainHash))));
  const events = await db.collection('outbox').distinct('payload.data.traceId', { topic: 'event' });
  expect(events.length, 'one event per decision').toBe(traces.length);
  expect(await db.collection('outbox').countDocuments({ topic: 'event' })).toBe(traces.length);
}

async function assertAuditChain({ url, token }: Subject): Promise<void> {
  const answer = (await (await get(`${url}/api/v1/audit/verify`, token)).json()) as {
    data: { verified: boolean; totalEntries: number };
  };
  expect(answer.data).toMatchObject({ verified: true });
  expect(answer.data.totalEntries).toBeGreaterThan(0);
}
