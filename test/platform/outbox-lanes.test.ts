// Lanes of the outbox: a slow or dead receiver delays only its own rows.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectMongo, type Mongo } from '../../src/platform/mongo/connection.ts';
import { DeliveryFailure } from '../../src/platform/outbox/delivery-failure.ts';
import { outboxSchema, type OutboxDocument } from '../../src/platform/outbox/outbox.model.ts';
import type { Deliver } from '../../src/platform/outbox/deliverers.ts';
import { systemTimer } from '../../src/platform/concurrency/timer.ts';
import { createOutboxWorker } from '../../src/platform/outbox/outbox-worker.ts';
import { INTERNAL, type OutboxPool, RECEIVERS } from '../../src/platform/outbox/pools.ts';
import { createDatabaseUri } from '../setup/databases.ts';
import { toObjectId } from '../setup/harness.ts';

const organizationId = toObjectId('a'.repeat(24));
let mongo: Mongo;
let now: number;
/** Milliseconds that have passed for lanes. */
let elapsedMs: number;
const modelOf = ({ connection }: Mongo) => connection.model<OutboxDocument>('Outbox', outboxSchema);
let rows: ReturnType<typeof modelOf>;
beforeAll(async () => {
  mongo = await connectMongo({ uri: createDatabaseUri(), poolSize: 10 });
  rows = modelOf(mongo);
  await rows.createIndexes();
});
afterAll(() => mongo.close());
beforeEach(async () => {
  now = Date.parse('2026-11-21T12:00:00Z');
  elapsedMs = 0;
  await rows.deleteMany({}, { crossTenant: true } as never);
});

const workerOf = (deliver: Deliver, pool: OutboxPool = RECEIVERS, isOrdered = false) =>
  createOutboxWorker({
    pool,
    rows,
    deliverers: { event: { deliver, isOrdered } },
    clock: { now: () => new Date(now) },
    timer: systemTimer,
    elapsed: () => elapsedMs,
    drawFraction: () => 0.5,
    log: { warn: () => undefined },
  });
const orderedWorkerOf = (deliver: Deliver) => workerOf(deliver, INTERNAL, true);
const write = (count: number, lane?: string, of = organizationId) =>
  rows.insertMany(
    Array.from({ length: count }, (_row, n) => ({
      organizationId: of,
      topic: 'event',
      payload: { n, lane },
      ...(lane !== undefined && { lane }),
      dueAt: new Date(now - 1000 + n),
      expiresAt: new Date(now + 1e10),
    })),
  );
const stored = () => rows.findOne({ organizationId }).lean<OutboxDocument>();

test('lanes are served in rotation, with at most two rows of each under way', async () => {
  await write(20, 'dead');
  await write(6, 'good');
  await write(3);
  const done: unknown[] = [];
  const running = { now: 0, most: 0 };
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const worker = workerOf(async ({ payload: { n, lane } }) => {
    if (lane !== 'dead') return void done.push([lane, n]);
    running.most = Math.max(running.most, (running.now += 1));
    await released;
    running.now -= 1;
  });
  const run = worker.deliverDue();
  await expect.poll(() => done.length).toBe(9);
  expect(running).toEqual({ now: 2, most: 2 });
  release();
  expect(await run).toBe(29);
  expect(await rows.countDocuments({ organizationId, status: 'done' })).toBe(29);
  expect(running.most).toBe(2);
});

test('a row that becomes due during a delivery does not wait for its end', async () => {
  await write(1, 'dead');
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const done: unknown[] = [];
  const run = workerOf(async ({ payload: { lane } }) => {
    if (lane === 'dead') await released;
    done.push(lane);
  }).deliverDue();
  await expect.poll(() => stored()).toMatchObject({ attempts: 1 });
  await write(1, 'late');
  await expect.poll(() => done).toEqual(['late']);
  release();
  expect(await run).toBe(2);
});

test('a lane rests for four times what a delivery took over a second', async () => {
  await write(5, 'slow');
  const slow = workerOf(() => Promise.resolve(void (elapsedMs += 1_250)));
  expect(await slow.deliverDue()).toBe(1);
  elapsedMs += 999;
  expect(await slow.deliverDue()).toBe(0);
  elapsedMs += 1;
  expect(await slow.deliverDue()).toBe(1);
});

test('a stopped worker completes deliveries under way and starts no others', async () => {
  await write(10, 'a');
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let begun = 0;
  const worker = workerOf(() => {
    begun += 1;
    return released;
  });
  const run = worker.deliverDue();
  await expect.poll(() => begun).toBe(2);
  worker.stopDelivery();
  release();
  expect([await run, begun]).toEqual([2, 2]);
  expect(await rows.countDocuments({ organizationId, attempts: 0, status: 'pending' })).toBe(8);
});

test('a failure may be final, delay the retry, and carry a result', async () => {
  const result = { statusCode: 503, durationMs: 7, at: new Date(now) };
  await write(1, 'a');
  const retryAfterMs = 3_600_000;
  await workerOf(() =>
    Promise.reject(new DeliveryFailure('busy', { result, retryAfterMs })),
  ).deliverDue();
  expect(await stored()).toMatchObject({ status: 'pending', lastError: 'busy', result });
  expect((await stored())?.dueAt.getTime()).toBe(now + retryAfterMs);
  now += retryAfterMs;
  await workerOf(() => Promise.reject(new DeliveryFailure('gone', { isFinal: true }))).deliverDue();
  expect(await stored()).toMatchObject({ status: 'dead', lastError: 'gone', attempts: 2, result });
});

test('lanes proceed concurrently: none waits until another has found its next row', async () => {
  const lanes = Array.from({ length: 8 }, (_lane, at) => `lane ${at}`);
  for (const lane of lanes) await write(30, lane);
  const running = { now: 0, most: 0 };
  const attempted = await workerOf(async () => {
    running.most = Math.max(running.most, (running.now += 1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    running.now -= 1;
  }).deliverDue();
  expect(attempted).toBe(240);
  expect(await rows.countDocuments({ organizationId, status: 'done', attempts: 1 })).toBe(240);
  expect(running.most).toBe(RECEIVERS.slotsPerOrganization);
});

test('a claimed row that has waited for a second is given back, and is not sent when it was withdrawn in the meantime', async () => {
  await write(12, 'slow');
  let begun = 0;
  const worker = workerOf(async () => {
    begun += 1;
    elapsedMs += 501;
    if (begun === 2) await rows.deleteMany({ organizationId });
  });
  expect([await worker.deliverDue(), begun]).toEqual([2, 2]);
});

/** A deliverer whose deliveries to `dead...` do not end before `release`. */
function hanging() {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const done: unknown[] = [];
  const underWay = new Map<string, number>();
  const deliver: Deliver = async ({ organizationId: of, payload: { lane } }) => {
    if (!String(lane).startsWith('dead')) return void done.push(lane);
    const id = String(of);
    underWay.set(id, (underWay.get(id) ?? 0) + 1);
    await released;
  };
  return { release: () => release(), done, underWay, deliver };
}
const idOf = (n: number) => toObjectId(n.toString(16).padStart(24, 'b'));

test('an organisation with many unresponsive receivers has a bounded share of the slots', async () => {
  for (let n = 0; n < 80; n++) await write(2, `dead ${n}`);
  const { deliver, release, done, underWay } = hanging();
  const worker = workerOf(deliver);
  const run = worker.deliverDue();
  const most = RECEIVERS.slotsPerOrganization;
  await expect.poll(() => underWay.get(organizationId.toHexString())).toBe(most);
  for (let n = 0; n < 3; n++) await write(2, `good ${n}`, idOf(n));
  await expect.poll(() => done).toHaveLength(6);
  expect([...underWay.values()]).toEqual([most]);
  worker.stopDelivery();
  release();
  await run;
});

test('many organisations with unresponsive receivers leave slots free for another', async () => {
  for (let of = 0; of < 12; of++)
    for (let n = 0; n < 9; n++) await write(1, `dead ${of} ${n}`, idOf(of));
  const { deliver, release, done, underWay } = hanging();
  const worker = workerOf(deliver);
  const run = worker.deliverDue();
  const sum = () => [...underWay.values()].reduce((total, one) => total + one, 0);
  await expect.poll(() => underWay.size).toBe(12);
  await write(1, 'good', idOf(31));
  await expect.poll(() => done).toEqual(['good']);
  expect(sum()).toBeLessThan(RECEIVERS.slots);
  worker.stopDelivery();
  release();
  await run;
});

test('every lane of a busy organisation is served in rotation', async () => {
  for (let n = 0; n < 50; n++) await write(3, `lane ${n}`);
  const done: unknown[] = [];
  await workerOf(({ payload: { lane } }) => Promise.resolve(void done.push(lane))).deliverDue();
  expect(new Set(done.slice(0, 100)).size).toBeGreaterThan(30);
  expect(done).toHaveLength(150);
});

test('after a timeout a receiver has one delivery at a time, with a shorter timeout, until one succeeds', async () => {
  const seen: boolean[] = [];
  let answers = false;
  const running = { now: 0, most: 0 };
  const worker = workerOf(async (_row, { isSuspect }) => {
    seen.push(isSuspect);
    running.most = Math.max(running.most, (running.now += 1));
    await new Promise((resolve) => setTimeout(resolve, 5));
    running.now -= 1;
    if (!answers) throw new DeliveryFailure('it took too long', { hasTimedOut: true });
  });
  await write(1, 'slow');
  await worker.deliverDue();
  await write(5, 'slow');
  running.most = 0;
  await worker.deliverDue();
  expect([seen, running.most]).toEqual([[false, true, true, true, true, true], 1]);
  [answers, now] = [true, now + 600_000];
  await write(1, 'slow');
  await worker.deliverDue();
  seen.length = 0;
  await write(1, 'slow');
  await worker.deliverDue();
  expect(seen).toEqual([false]);
});

test(
  'runs of one worker at the same time deliver an ordered lane one row after another',
  { tags: ['long'] },
  async () => {
    const running = { now: 0, most: 0 };
    const done: unknown[] = [];
    const worker = orderedWorkerOf(async ({ payload: { n } }) => {
      running.most = Math.max(running.most, (running.now += 1));
      await rows.countDocuments({ organizationId });
      running.now -= 1;
      done.push(n);
    });
    for (let round = 0; round < 10; round++) {
      await write(4, `record ${round}`);
      await Promise.all(Array.from({ length: 4 }, () => worker.deliverDue()));
    }
    await expect.poll(() => worker.deliverDue()).toBe(0);
    expect(running.most).toBe(1);
    expect(done).toEqual(Array.from({ length: 40 }, (_row, n) => n % 4));
  },
);

test('an ordered lane is claimed as one, in order, also with several workers and after a failure', async () => {
  const done: unknown[] = [];
  let failures = 3;
  const deliver: Deliver = async ({ payload: { n } }) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (n === 4 && failures-- > 0) throw new Error('not now');
    done.push(n);
  };
  const workers = Array.from({ length: 3 }, () => orderedWorkerOf(deliver));
  await write(40, 'record');
  await expect
    .poll(async () => {
      await Promise.all(workers.map((worker) => worker.deliverDue()));
      now += 5000;
      return done.length;
    })
    .toBe(40);
  expect(done).toEqual(Array.from({ length: 40 }, (_row, n) => n));
});

test('rows over a minute late are reported, counted from creation (prompt topics) or due time (others)', async () => {
  const worker = (pool: OutboxPool) => workerOf(() => Promise.reject(new Error('no')), pool);
  await write(3, 'record');
  await rows.collection.updateMany({}, { $set: { createdAt: new Date(now) } });
  await worker(INTERNAL).deliverDue();
  expect(await worker(INTERNAL).findLateRows()).toEqual([]);
  now += 60_001;
  await worker(INTERNAL).deliverDue();
  expect(await worker(INTERNAL).findLateRows()).toMatchObject([
    { topic: 'event', rows: 3, example: { attempts: 2, lastError: 'Error: no' } },
  ]);
  expect(await worker(RECEIVERS).findLateRows()).toEqual([]);
  now += 61_000 + 30_000;
  expect(await worker(RECEIVERS).findLateRows()).toMatchObject([{ topic: 'event', rows: 3 }]);
});
