// Lanes of the outbox: a receiver that is slow or dead holds up its own rows only, whatever waits for it.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectMongo, type Mongo } from '../../src/platform/mongo/connection.ts';
import { DeliveryFailure } from '../../src/platform/outbox/delivery-failure.ts';
import { outboxSchema, type OutboxDocument } from '../../src/platform/outbox/outbox.model.ts';
import type { Deliver } from '../../src/platform/outbox/deliverers.ts';
import { createOutboxWorker } from '../../src/platform/outbox/outbox-worker.ts';
import { databaseUri } from '../setup/databases.ts';
import { objectId } from '../setup/harness.ts';

const organizationId = objectId('a'.repeat(24));
let mongo: Mongo;
let now: number;
const modelOf = ({ connection }: Mongo) => connection.model<OutboxDocument>('Outbox', outboxSchema);
let rows: ReturnType<typeof modelOf>;
beforeAll(async () => {
  mongo = await connectMongo({ uri: databaseUri(), poolSize: 10 });
  rows = modelOf(mongo);
  await rows.createIndexes();
});
afterAll(() => mongo.close());
beforeEach(async () => {
  now = Date.parse('2026-11-21T12:00:00Z');
  await rows.deleteMany({ organizationId });
});

const workerOf = (deliver: Deliver) =>
  createOutboxWorker({
    rows,
    deliverers: { event: { deliver } },
    clock: { now: () => new Date(now) },
    chance: () => 0.5,
    log: { warn: () => undefined },
  });
const write = (count: number, lane?: string) =>
  rows.insertMany(
    Array.from({ length: count }, (_row, n) => ({
      organizationId,
      topic: 'event',
      payload: { n, lane },
      ...(lane !== undefined && { lane }),
      dueAt: new Date(now - 1000 + n),
      expiresAt: new Date(now + 1e10),
    })),
  );
const stored = () => rows.findOne({ organizationId }).lean<OutboxDocument>();

test('lanes take turns, and two rows of one are under way at most', async () => {
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
  const run = worker.run();
  await expect.poll(() => done.length).toBe(9);
  expect(running).toEqual({ now: 2, most: 2 });
  release();
  await run;
  // What took long to be released is followed by a rest.
  const ended = { organizationId, status: 'done' } as const;
  await expect
    .poll(() => worker.run().then(() => rows.countDocuments(ended)), { timeout: 25_000 })
    .toBe(29);
  expect(running.most).toBe(2);
});

test('what becomes due while a delivery is under way does not wait for its end', async () => {
  await write(1, 'dead');
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const done: unknown[] = [];
  const run = workerOf(async ({ payload: { lane } }) => {
    if (lane === 'dead') await released;
    done.push(lane);
  }).run();
  await expect.poll(() => stored()).toMatchObject({ attempts: 1 });
  await write(1, 'late');
  await expect.poll(() => done).toEqual(['late']);
  release();
  expect(await run).toBe(2);
});

test('a lane rests after what took long', { tags: ['long'] }, async () => {
  await write(5, 'slow');
  const slow = workerOf(() => new Promise((resolve) => setTimeout(resolve, 1100)));
  expect(await slow.run()).toBe(2);
  expect(await slow.run()).toBe(0);
  await expect.poll(() => slow.run(), { timeout: 10_000 }).toBe(2);
});

test('a stopped worker ends what is under way and begins nothing more', async () => {
  await write(10, 'a');
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let begun = 0;
  const worker = workerOf(() => {
    begun += 1;
    return released;
  });
  const run = worker.run();
  await expect.poll(() => begun).toBe(2);
  worker.stop();
  release();
  expect([await run, begun]).toEqual([2, 2]);
  expect(await rows.countDocuments({ organizationId, attempts: 0, status: 'pending' })).toBe(8);
});

test('a failure may say that it is final, or when to try again, and how it went', async () => {
  const result = { statusCode: 503, durationMs: 7, at: new Date(now) };
  await write(1, 'a');
  const retryAfterMs = 3_600_000;
  await workerOf(() => Promise.reject(new DeliveryFailure('busy', { result, retryAfterMs }))).run();
  expect(await stored()).toMatchObject({ status: 'pending', lastError: 'busy', result });
  expect((await stored())?.dueAt.getTime()).toBe(now + retryAfterMs);
  now += retryAfterMs;
  await workerOf(() => Promise.reject(new DeliveryFailure('gone', { isFinal: true }))).run();
  expect(await stored()).toMatchObject({ status: 'dead', lastError: 'gone', attempts: 2, result });
});

test('lanes go on beside each other: none waits until another has found its next row', async () => {
  const lanes = Array.from({ length: 8 }, (_lane, at) => `lane ${at}`);
  for (const lane of lanes) await write(30, lane);
  const running = { now: 0, most: 0 };
  const attempted = await workerOf(async () => {
    running.most = Math.max(running.most, (running.now += 1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    running.now -= 1;
  }).run();
  expect(attempted).toBe(240);
  expect(await rows.countDocuments({ organizationId, status: 'done', attempts: 1 })).toBe(240);
  expect(running.most).toBeLessThanOrEqual(16);
  expect(running.most).toBeGreaterThan(8);
});

test(
  'what has waited in its lane for a second since it was claimed is given back: withdrawn meanwhile, it is not sent',
  { tags: ['long'] },
  async () => {
    await write(12, 'slow');
    let begun = 0;
    const run = workerOf(async () => {
      begun += 1;
      await new Promise((resolve) => setTimeout(resolve, 700));
    }).run();
    await expect.poll(() => begun).toBe(4);
    await rows.deleteMany({ organizationId });
    expect([await run, begun]).toEqual([4, 4]);
  },
);
