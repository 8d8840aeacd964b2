// Several threads verify a chain together: the answer is that of one thread, wherever a break is.
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { AUDIT, DECISIONS } from '../../../src/ledger/chains.ts';
import type { Stored } from '../../../src/ledger/entry.ts';
import type { Verification } from '../../../src/ledger/verify/report.ts';
import {
  createVerificationWorker,
  type VerificationWorker,
} from '../../../src/ledger/verify/verification-worker.ts';
import { verifyChain } from '../../../src/ledger/verify/verify-chain.ts';
import { traceColumns } from '../../../src/decisions/traces/traces.columns.ts';
import type { DatabaseAccess } from '../../../src/platform/threads/thread-database.ts';
import { ThreadPool } from '../../../src/platform/threads/thread-pool.ts';
import {
  createThreads,
  type ThreadName,
  type Threads,
  THREADS,
} from '../../../src/platform/threads/threads.ts';
import { createDatabaseUri } from '../../setup/databases.ts';
import { SECRETS } from '../../setup/start-app.ts';
import { type ChainHarness, History, startChainHarness } from './hash-chain-history.ts';

let harness: ChainHarness;
let history: History;
/** Of the compiled threads. */
const built = createThreads(inject('built'));
let databaseAccess: DatabaseAccess;
const workers = new Map<number, VerificationWorker>();
beforeAll(async () => {
  harness = await startChainHarness();
  history = await History.begin(harness, 'Grace');
  await history.everything();
  databaseAccess = {
    uri: createDatabaseUri(),
    database: harness.db.databaseName,
    keyStore: { uri: null, secrets: { ...SECRETS, formerEncryption: [] } },
  };
  for (const threadCount of [1, 3])
    workers.set(
      threadCount,
      createVerificationWorker({ threads: built, databaseAccess, threadCount, rangeLength: 4 }),
    );
});
afterAll(async () => {
  await built.close();
  await harness.stop();
});

const verifiedBy = (threads: number): Promise<Verification> =>
  (workers.get(threads) as VerificationWorker).verify(DECISIONS, history.organizationId, {
    now: new Date(),
    reached: 0,
    erasedUntil: null,
    after: null,
  });

test('an intact chain verifies', async () => {
  const found = await verifiedBy(3);
  expect(found).toMatchObject({ verified: true, fromSequence: 1 });
  expect(found.totalChecked).toBeGreaterThan(4 * 3);
  expect(found).toEqual(await verifiedBy(1));
});

test('a break is found at the start of a range, within it, at its end and in the last range', async () => {
  const entries = await history.stored();
  const ledger = harness.db.collection('ledger');
  for (const sequence of [1, 3, 4, 5, entries.length]) {
    const { _id, prevHash } = entries[sequence - 1] as Stored;
    await ledger.updateOne({ _id }, { $set: { prevHash: 'f'.repeat(64) } });
    const found = await verifiedBy(3);
    expect(found).toMatchObject({ verified: false, lastValidSequence: sequence - 1 });
    expect(found).toEqual(await verifiedBy(1));
    await ledger.updateOne({ _id }, { $set: { prevHash } });
  }
});

test('a range whose thread failed is replayed by the verification itself', async () => {
  const { db, app } = harness;
  const { organizationId } = history;
  const known = { now: new Date(), reached: 0, erasedUntil: null, after: null };
  const failed = { range: { first: 1, before: 5 }, replayed: null };
  const { contents } = app.instance.platform;
  const chain = { db, chain: DECISIONS, columns: traceColumns, contents, organizationId };
  expect(await verifyChain({ ...chain, ...known, ranges: [failed] })).toEqual(await verifiedBy(1));
});

/** Blocks its thread while it verifies the chain of `SLOW`, and answers at once for others. */
const SLOW = 'a'.repeat(24);
const blocking = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ id, request }) => {
  if (request.organizationId === '${SLOW}') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  parentPort.postMessage({ id, value: request.organizationId });
});`;

test('a chain does not wait for that of another organisation, with a single thread for each', async () => {
  const pools: { close(): Promise<void> }[] = [];
  const threads: Pick<Threads, 'open'> = {
    open<Q, A>(name: ThreadName, data: unknown, limits: object) {
      const script = new URL(`data:text/javascript,${encodeURIComponent(blocking)}`);
      const row = { ...THREADS[name], ...limits };
      const pool = new ThreadPool<Q, A>({ ...row, script, data });
      pools.push(pool);
      return pool;
    },
  };
  const worker = createVerificationWorker({ threads, databaseAccess, threadCount: 1 });
  const known = { now: new Date(), reached: 0, erasedUntil: null, after: null };
  const blocked = Promise.allSettled([worker.verify(DECISIONS, SLOW, known)]);
  const other = 'b'.repeat(24);
  for (const chain of [DECISIONS, AUDIT])
    expect(await worker.verify(chain, other, known)).toBe(other);
  for (const pool of pools) await pool.close();
  expect((await blocked).map(({ status }) => status)).toEqual(['rejected']);
});
