// Stores of earlier versions, opened by this one: everything that was recorded is as it was, and can be worked with.
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StoreFacts } from '../../../scripts/stores/fill-store.ts';
import { connectDatabase } from '../../setup/databases.ts';
import { toObjectId, startHarness, type Harness } from '../../setup/harness.ts';
import { assertOk } from '../../setup/personas.ts';
import { restoreVersion, STORE_VERSIONS } from '../../setup/stores.ts';
import type { Answer } from '../../setup/start-app.ts';

/** A word that the rationales of several decisions have, and no name of a member. */
const WORD = 'customer';
const INTACT = { verified: true, brokenDetail: null, mismatched: [], missing: [] };

/** The indexes of a store that this version has made. */
let freshIndexes: string[];
beforeAll(async () => {
  const fresh = await startHarness();
  freshIndexes = await listIndexes(fresh);
  await fresh.stop();
});
const listIndexes = async ({ db }: Harness): Promise<string[]> =>
  (await db.collection('ledger').indexes()).map(({ name }) => name as string).sort();

/** The one that differs least from what this version stores; the others take long. */
const NEWEST = 'a54543d8';
test('there are stores', () =>
  expect(STORE_VERSIONS).toEqual(expect.arrayContaining(['8580fe8', NEWEST])));
for (const version of STORE_VERSIONS)
  describe(`a store of ${version}`, version === NEWEST ? {} : { tags: ['long'] }, () =>
    useStore(version),
  );

function useStore(version: string): void {
  let harness: Harness;
  let facts: StoreFacts;
  let bundle: string;
  let token: string;
  /** An answer from the time when the store was made. */
  let repeated: Answer;
  /** Milliseconds that the clock is behind. */
  let behindMs = 0;

  const call = (method: string, path: string, body?: object): Promise<Answer> =>
    harness.app.call(method, `/api/v1${path}`, { token, ...(body && { body }) });
  const read = async (path: string) => assertOk(await call('GET', path)).body.data;
  const write = async (path: string, body: object) =>
    assertOk(await call('POST', path, body)).body.data;
  const runJobs = (): Promise<void> => harness.app.instance.runJobsOnce();
  const getLedger = () => harness.db.collection('ledger');
  async function verify() {
    const { verified, brokenDetail, payload } = await write('/hash-chain/verify', {});
    return { verified, brokenDetail, mismatched: payload.mismatched, missing: payload.missing };
  }

  beforeAll(async () => {
    const restored = await restoreVersion(version);
    ({ facts, bundle } = restored);
    const stored = await connectDatabase(restored.mongoUri);
    const last = await stored.collection('ledger').findOne({ sequence: facts.replayed.sequence });
    behindMs = Date.now() - (Number(last?.['createdAt']) + 60_000);
    const clock = { now: () => new Date(Date.now() - behindMs) };
    harness = await startHarness({}, { mongoUri: restored.mongoUri, clock });
    const { email, password, key, replayed } = facts;
    const request = { key, raw: replayed.body };
    repeated = await harness.app.call('POST', '/api/v1/traces', request);
    behindMs = 0;
    ({ token } = await write('/auth/login', { email, password }));
    await runJobs();
  });
  afterAll(() => harness.stop());

  test('answers a repeated request as its version did', async () => {
    const { sequence } = facts.replayed;
    const last = await getLedger().findOne({ sequence });
    expect(repeated.headers.get('idempotency-replayed')).toBe('true');
    expect(repeated.body.data.hashChain).toMatchObject({
      sequence,
      chainHash: last?.['chainHash'],
    });
  });

  test('verifies, and so does its audit log', async () => {
    expect(await verify()).toEqual(INTACT);
    expect((await read('/audit/verify')).verified).toBe(true);
  });

  test('exports the same bytes as its version did', async () => {
    const lines = bundle.split('\n');
    const entries = lines.filter((line) => line.startsWith('{"id"'));
    const last = Number(/"end":\{"count":(\d+)/.exec(bundle)?.[1]);
    expect(entries.length).toBeGreaterThan(50);
    const { text } = assertOk(await call('GET', `/hash-chain/bundle?toSequence=${last}`));
    const now = text.split('\n');
    expect(now.slice(1)).toEqual(lines.slice(1));
    const readHeader = (line?: string) =>
      (line ?? '').replace(/"(exportedAt|head)":("[^"]*"|\{.*?\})/g, '');
    expect(readHeader(now[0])).toEqual(readHeader(lines[0]));
  });

  test('shows its decisions, and finds them by their words', async () => {
    const listed = await read('/traces?limit=100');
    expect(listed.map(({ _id }: { _id: string }) => _id)).toEqual(
      facts.traceIds.filter((id) => !facts.erased.includes(id)),
    );
    const found = await read(`/traces?search=${WORD}&limit=100`);
    const hasWord = (trace: object): boolean => JSON.stringify(trace).includes(WORD);
    expect(found.length).toBeGreaterThan(2);
    expect(found.filter((trace: object) => !hasWord(trace))).toEqual([]);
    for (const id of facts.erased) expect((await call('GET', `/traces/${id}`)).status).toBe(404);
  });

  test('says in the answer of a search how many entries are not searched yet', async () => {
    const where = { consumer: 'decision-words' };
    const cursors = harness.db.collection('cursors');
    const cursor = await cursors.findOne(where);
    const head = Number(cursor?.['sequence']);
    const behind = async () => assertOk(await call('GET', `/traces?search=${WORD}`)).body.search;
    expect(await behind()).toEqual({ behind: 0 });
    await cursors.updateOne(where, { $set: { sequence: head - 7 } });
    expect(await behind()).toEqual({ behind: 7 });
    await cursors.updateOne(where, { $set: { sequence: head } });
    expect(assertOk(await call('GET', '/traces')).body).not.toHaveProperty('search');
  });

  test('has nothing in clear that is locked today, and the indexes of a new store', async () => {
    const entries = await getLedger().find({}).toArray();
    expect(entries.filter((entry) => JSON.stringify(entry).includes(WORD))).toEqual([]);
    expect(await listIndexes(harness)).toEqual(freshIndexes);
  });

  test('a restored column of an earlier version is found', async () => {
    const where = { sequence: 3 };
    await getLedger().updateOne(where, { $set: { rationale: 'Nothing to see.' } });
    expect(await verify()).toMatchObject({ verified: false, mismatched: [{ field: 'rationale' }] });
    await getLedger().updateOne(where, { $unset: { rationale: '' } });
  });

  test('goes on: a decision, a verdict on one of before, a correction, policies judged again', async () => {
    const [pending] = (await call('GET', '/review-queue?status=pending')).body.data;
    await write(`/review-queue/${pending._id}/decision`, { decision: 'approve', reason: 'Fine' });
    const [, , before] = await read('/traces?limit=3');
    const feedback = { traceId: before.traceId, correctedDecision: { tool: 'wait' } };
    assertOk(
      await harness.app.call('POST', '/api/v1/cpi/ingest', { key: facts.key, body: feedback }),
    );
    const body = JSON.parse(facts.replayed.body) as object;
    assertOk(await harness.app.call('POST', '/api/v1/traces', { key: facts.key, body }));
    const policy = {
      name: 'Drains',
      conditions: [{ field: 'outputDecision.rationale', operator: 'contains', value: WORD }],
      actions: [{ type: 'block' }],
    };
    const { id } = await write('/policies/_new/replay', { policy });
    await runJobs();
    const replay = await read(`/policies/replays/${id}`);
    expect(replay).toMatchObject({ state: 'done', total: replay.done });
    expect(replay.allowToBlock + replay.cannotTell).toBeGreaterThan(5);
    expect(await verify()).toEqual(INTACT);
  });

  test('erases decisions of before for good', async () => {
    const [trace] = await read(`/traces?search=${WORD}&limit=1`);
    const reason = 'Asked for';
    const request = { traceIds: [trace.traceId], reason };
    const { acknowledgementId, impactDigest } = await write('/erasure/acknowledge', request);
    const erased = await write('/erasure/execute', { acknowledgementId, impactDigest });
    expect(erased).toMatchObject({ status: 'executed', signature: expect.any(String) });
    await runJobs();
    const found = await read(`/traces?search=${WORD}&limit=100`);
    expect(found.map(({ _id }: { _id: string }) => _id)).not.toContain(trace._id);
    const stored = await getLedger().findOne({ _id: toObjectId(trace._id) });
    expect(stored).not.toHaveProperty('content');
    const contents = harness.app.instance.platform.contents;
    const copy = { sequence: Number(stored?.['sequence']), content: Buffer.alloc(64) };
    expect(await contents.decryptOne(facts.organizationId, copy)).not.toHaveProperty('content');
    expect(await verify()).toEqual(INTACT);
  });

  test('nothing failed on the way, and nothing is left to be done', async () => {
    await runJobs();
    const failures = harness.app.logged.filter((line) => !line.includes('not what was sealed'));
    expect(failures).toEqual([]);
    expect(await harness.db.collection('parked').countDocuments()).toBe(0);
    const failed = { $or: [{ status: { $ne: 'done' } }, { lastError: { $ne: null } }] };
    expect(await harness.db.collection('outbox').countDocuments(failed)).toBe(0);
  });
}
