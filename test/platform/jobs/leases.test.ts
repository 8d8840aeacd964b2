// Leases on a real database: one holder at a time, renewed while it works, replaced when it is gone.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createInstances } from '../../../src/platform/jobs/instances.ts';
import { createLeases, type Leases } from '../../../src/platform/jobs/leases.ts';
import { connectMongo, type Mongo } from '../../../src/platform/mongo/connection.ts';
import { VirtualTime } from '../../ledger/virtual-time.ts';
import { createDatabaseUri } from '../../setup/databases.ts';

let mongo: Mongo;
let now = Date.parse('2026-11-21T12:00:00Z');
/** Renewals and heartbeats happen when a test lets this time pass. */
let timer: VirtualTime;
beforeEach(() => (timer = new VirtualTime()));
const gone = new Set<string>();
let one: Leases;
let two: Leases;
beforeAll(async () => {
  mongo = await connectMongo({ uri: createDatabaseUri(), poolSize: 10 });
  const of = (holder: string): Leases =>
    createLeases({
      connection: mongo.connection,
      clock: { now: () => new Date(now) },
      timer: { schedule: (ms, run) => timer.schedule(ms, run), elapsed: () => timer.elapsed() },
      instances: { id: holder, isGone: (other) => Promise.resolve(gone.has(other)) },
    });
  [one, two] = [of('one'), of('two')];
});
afterAll(() => mongo.close());

test('a lease belongs to its holder until it expires', async () => {
  expect([await one.acquire('a', 1000), await two.acquire('a', 1000)]).toEqual([true, false]);
  expect(await one.acquire('a', 1000)).toBe(true);
  now += 999;
  expect(await two.acquire('a', 1000)).toBe(false);
  now += 1;
  expect([await two.acquire('a', 1000), await one.acquire('a', 1000)]).toEqual([true, false]);
});

test('a released lease is free; a lease of another holder cannot be released', async () => {
  await one.acquire('b', 1000);
  await two.release('b');
  expect(await two.acquire('b', 1000)).toBe(false);
  await one.release('b');
  expect(await two.acquire('b', 1000)).toBe(true);
});

test('one of many concurrent callers gets the lease', async () => {
  const clock = { now: () => new Date(now) };
  const asked = Array.from({ length: 20 }, (_, index) =>
    createLeases({
      connection: mongo.connection,
      clock,
      timer,
      instances: { id: `holder ${index}`, isGone: () => Promise.resolve(false) },
    }).acquire('c', 1000),
  );
  expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(1);
});

test('only the holder works, and it renews the lease meantime', async () => {
  let finish = (): void => undefined;
  const working = one.runUnderLease(
    'd',
    300,
    () => new Promise<void>((resolve) => (finish = resolve)),
  );
  const rows = mongo.connection
    .getClient()
    .db(mongo.connection.name)
    .collection<{ _id: string; until: Date }>('leases');
  const until = async (): Promise<number | undefined> =>
    (await rows.findOne({ _id: 'd' }))?.until.getTime();
  await expect.poll(until, { interval: 5 }).toBe(now + 300);
  let worked = false;
  expect(await two.runUnderLease('d', 300, () => Promise.resolve((worked = true)))).toBe(false);
  now += 290;
  const renewed = now + 300;
  await timer.runUntil(100);
  await expect.poll(until, { interval: 5 }).toBe(renewed);
  now += 299;
  expect([await two.acquire('d', 300), worked]).toEqual([false, false]);
  finish();
  expect(await working).toBe(true);
});

test('a failure of the work reaches the holder and ends the renewal', async () => {
  await expect(
    one.runUnderLease('e', 30, () => Promise.reject(new Error('broken'))),
  ).rejects.toThrow('broken');
  expect(await timer.runUntil(1_000)).toBe(false);
  now += 31;
  expect(await two.acquire('e', 1000)).toBe(true);
});

test('the lease of a gone holder is taken over at once, by one caller', async () => {
  await one.acquire('left', 3_600_000);
  expect(await two.acquire('left', 1000)).toBe(false);
  gone.add('one');
  expect([await two.acquire('left', 1000), await one.acquire('left', 1000)]).toEqual([true, false]);
  gone.delete('one');
});

test('an instance is gone without heartbeats and after its end; one without any heartbeat is unknown', async () => {
  const instanceOf = (id: string) =>
    createInstances({
      connection: mongo.connection,
      clock: { now: () => new Date(now) },
      timer,
      id,
    });
  const [here, other] = [instanceOf('here'), instanceOf('other')];
  await here.startHeartbeat();
  await other.startHeartbeat();
  const seen = () => Promise.all(['here', 'other', 'unknown'].map((id) => other.isGone(id)));
  expect(await seen()).toEqual([false, false, false]);
  await here.stopHeartbeat();
  expect(await seen()).toEqual([true, false, false]);
  now += 30_000;
  expect(await seen()).toEqual([true, true, false]);
  await timer.runUntil(10_000);
  await expect.poll(seen).toEqual([true, false, false]);
  await other.stopHeartbeat();
  expect(await seen()).toEqual([true, true, false]);
  expect(await timer.runUntil(60_000)).toBe(false);
});

test('an instance that was stopped for longer than its heartbeat lasts says since when', async () => {
  let stoppedMs = 0;
  const returned: Date[] = [];
  const instances = createInstances({
    connection: mongo.connection,
    clock: { now: () => new Date(now) },
    timer: {
      schedule: (ms, run) => timer.schedule(ms, run),
      elapsed: () => timer.elapsed() + stoppedMs,
    },
    id: 'stopped',
  });
  instances.onReturn((since) => Promise.resolve(void returned.push(since)));
  await instances.startHeartbeat();
  await timer.runUntil(10_000);
  expect(returned).toEqual([]);
  stoppedMs = 45_000;
  await timer.runUntil(20_000);
  expect(returned).toEqual([new Date(now)]);
  await instances.stopHeartbeat();
});
