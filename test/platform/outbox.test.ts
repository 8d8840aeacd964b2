// The outbox on a real database: single delivery, scheduled retries, dead rows, and takeover from a crashed worker.
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { RECEIVER_RETRIES } from '../../src/domain/retry-schedule.ts';
import { connectMongo, type Mongo } from '../../src/platform/mongo/connection.ts';
import { outboxSchema, type OutboxDocument } from '../../src/platform/outbox/outbox.model.ts';
import type { Deliver } from '../../src/platform/outbox/deliverers.ts';
import { systemTimer, type Timer } from '../../src/platform/concurrency/timer.ts';
import { createOutboxWorker } from '../../src/platform/outbox/outbox-worker.ts';
import { RECEIVERS } from '../../src/platform/outbox/pools.ts';
import { toObjectId } from '../setup/harness.ts';
import { VirtualTime } from '../ledger/virtual-time.ts';
import { createDatabaseUri } from '../setup/databases.ts';

const organizationId = toObjectId('a'.repeat(24));
const LEASE_MS = 60_000;
let mongo: Mongo;
let now: number;
let warned: object[];
const rowsOf = (connection: Connection) => connection.model<OutboxDocument>('Outbox', outboxSchema);
let rows: ReturnType<typeof rowsOf>;
beforeAll(async () => {
  mongo = await connectMongo({ uri: createDatabaseUri(), poolSize: 10 });
  rows = rowsOf(mongo.connection);
  await rows.createIndexes();
});
afterAll(() => mongo.close());
beforeEach(async () => {
  now = Date.parse('2026-11-21T12:00:00Z');
  warned = [];
  await rows.deleteMany({ organizationId });
});

const worker = (
  deliver: Deliver,
  topic = 'event',
  { timer = systemTimer, readNow = () => now }: { timer?: Timer; readNow?: () => number } = {},
) =>
  createOutboxWorker({
    pool: RECEIVERS,
    rows,
    deliverers: { [topic]: { deliver } },
    clock: { now: () => new Date(readNow()) },
    timer,
    elapsed: () => performance.now(),
    drawFraction: () => 0.5,
    log: { warn: (details) => warned.push(details) },
  });
const write = (more: Partial<OutboxDocument> = {}) =>
  rows.create([
    {
      organizationId,
      topic: 'event',
      payload: {},
      dueAt: new Date(now),
      expiresAt: new Date(now + 1e10),
      ...more,
    },
  ]);
function signal() {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => (give = resolve));
  return { given, give };
}
const stored = async (): Promise<OutboxDocument[]> =>
  rows.find({ organizationId }).sort({ _id: 1 }).lean();

test('due rows are delivered, oldest first; others are not', async () => {
  const delivered: unknown[] = [];
  await write({ payload: { n: 2 }, dueAt: new Date(now - 1) });
  await write({ payload: { n: 1 }, dueAt: new Date(now - 2) });
  await write({ payload: { n: 3 }, dueAt: new Date(now + 1) });
  await write({ payload: { n: 4 }, topic: 'another' });
  const tried = await worker((row) =>
    Promise.resolve(void delivered.push(row.payload.n)),
  ).deliverDue();
  expect([tried, delivered]).toEqual([2, [1, 2]]);
  expect((await stored()).map(({ status, attempts }) => [status, attempts])).toEqual([
    ['done', 1],
    ['done', 1],
    ['pending', 0],
    ['pending', 0],
  ]);
});

test('a failed row is retried on the schedule, then marked as dead with its error', async () => {
  await write();
  let attempts = 0;
  const failing = worker(() => {
    attempts += 1;
    return Promise.reject(new Error(`no answer ${attempts} ${'x'.repeat(1000)}`));
  });
  for (const [index, delay] of RECEIVER_RETRIES.delays.entries()) {
    expect(await failing.deliverDue()).toBe(1);
    const [row] = await stored();
    expect([row?.status, row?.attempts, row?.dueAt.getTime()]).toEqual([
      'pending',
      index + 1,
      now + delay,
    ]);
    now += delay - 1;
    expect(await failing.deliverDue()).toBe(0);
    now += 1;
  }
  expect([await failing.deliverDue(), await failing.deliverDue()]).toEqual([1, 0]);
  const [row] = await stored();
  expect([row?.status, row?.attempts, row?.lastError?.length]).toEqual([
    'dead',
    RECEIVER_RETRIES.delays.length + 1,
    500,
  ]);
  expect(row?.lastError).toContain('no answer 10');
  expect(warned).toHaveLength(1);
  expect(await failing.countBacklog()).toEqual({ pending: 0, dead: 1 });
});

test('a success after failures clears the error', async () => {
  await write();
  let fails = true;
  const flaky = worker(() => (fails ? Promise.reject(new Error('busy')) : Promise.resolve()));
  await flaky.deliverDue();
  expect((await stored())[0]?.lastError).toContain('busy');
  [fails, now] = [false, now + RECEIVER_RETRIES.delays[0]!];
  await flaky.deliverDue();
  expect((await stored())[0]).toMatchObject({ status: 'done', attempts: 2, lastError: null });
});

test('a synchronous exception of a deliverer counts as a failure', async () => {
  await write();
  await worker(() => {
    throw new TypeError('broken');
  }).deliverDue();
  expect((await stored())[0]).toMatchObject({
    status: 'pending',
    attempts: 1,
    lastError: 'TypeError: broken',
  });
});

test('two workers share the rows: each is delivered once', async () => {
  for (let n = 0; n < 20; n++) await write({ payload: { n } });
  const delivered: unknown[] = [];
  const deliver: Deliver = (row) => Promise.resolve(void delivered.push(row.payload.n));
  const tried = await Promise.all([
    worker(deliver).deliverDue(),
    worker(deliver).deliverDue(),
    worker(deliver).deliverDue(),
  ]);
  expect(tried.reduce((sum, count) => sum + count)).toBe(20);
  expect(new Set(delivered).size).toBe(20);
});

test('rows that a delivery makes due are delivered in the same run, also when a query just missed them', async () => {
  const [read, ended] = [signal(), signal()];
  const find = rows.find.bind(rows) as (...given: unknown[]) => PromiseLike<unknown>;
  const looks = vi.spyOn(rows, 'find').mockImplementation(((...given: unknown[]) => {
    const query = find(...given);
    const [{ organizationId: from }] = given as [{ organizationId?: { $gt?: string; $nin?: [] } }];
    if (delivered.length === 0 || !from?.$nin || from.$gt !== undefined) return query;
    const then = query.then.bind(query);
    // Reads before the delivery ends, and returns after it.
    vi.spyOn(query, 'then').mockImplementation((onFound, onError) =>
      then(async (found) => {
        read.give();
        await ended.given;
        return onFound?.(found) as never;
      }, onError),
    );
    return query;
  }) as never);
  const delivered: unknown[] = [];
  await write({ payload: { n: 1 } });
  await worker(async ({ payload }) => {
    delivered.push(payload.n);
    if (payload.n === 2) return;
    await read.given;
    await write({ payload: { n: 2 } });
    setTimeout(ended.give, 20);
  }).deliverDue();
  looks.mockRestore();
  expect(delivered).toEqual([1, 2]);
});

test('a hanging delivery does not delay others', async () => {
  for (let n = 0; n < 5; n++) await write({ payload: { n }, dueAt: new Date(now - 5 + n) });
  const delivered: unknown[] = [];
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const run = worker(async ({ payload: { n } }) => {
    if (n === 0) await released;
    delivered.push(n);
  }).deliverDue();
  await expect.poll(() => delivered).toHaveLength(4);
  expect(delivered).not.toContain(0);
  release();
  expect(await run).toBe(5);
  expect(delivered.at(-1)).toBe(0);
});

test('a row of a crashed worker is taken over when its lease expires, and the old worker settles nothing', async () => {
  await write();
  /** The crashed worker claims nothing more, not even its own row: its time stands still. */
  const startedAt = now;
  const hung = { timer: new VirtualTime(), readNow: () => startedAt };
  let finish = (): void => undefined;
  let begun = (): void => undefined;
  const holding = new Promise<void>((resolve) => (begun = resolve));
  const slow = worker(
    async () => {
      begun();
      await new Promise<void>((resolve) => (finish = resolve));
      throw new Error('late failure');
    },
    'event',
    hung,
  ).deliverDue();
  await holding;
  let taken = 0;
  const heir = worker(() => Promise.resolve(void (taken += 1)));
  now += LEASE_MS - 1;
  expect(await heir.deliverDue()).toBe(0);
  now += 1;
  expect([await heir.deliverDue(), taken]).toEqual([1, 1]);
  finish();
  await slow;
  expect((await stored())[0]).toMatchObject({ status: 'done', attempts: 2, lastError: null });
});
