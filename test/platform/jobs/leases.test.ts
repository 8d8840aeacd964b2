// Leases on a real database: one holder at a time, renewed while it works, replaced when it is gone.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLeases, type Leases } from '../../../src/platform/jobs/leases.ts';
import { connectMongo, type Mongo } from '../../../src/platform/mongo/connection.ts';
import { databaseUri } from '../../setup/databases.ts';

let mongo: Mongo;
let now = Date.parse('2026-11-21T12:00:00Z');
let one: Leases;
let two: Leases;
beforeAll(async () => {
  mongo = await connectMongo({ uri: databaseUri(), poolSize: 10 });
  const of = (holder: string): Leases =>
    createLeases({ connection: mongo.connection, clock: { now: () => new Date(now) }, holder });
  [one, two] = [of('one'), of('two')];
});
afterAll(() => mongo.close());

test('a lease is its holder’s until it runs out', async () => {
  expect([await one.acquire('a', 1000), await two.acquire('a', 1000)]).toEqual([true, false]);
  expect(await one.acquire('a', 1000)).toBe(true);
  now += 999;
  expect(await two.acquire('a', 1000)).toBe(false);
  now += 1;
  expect([await two.acquire('a', 1000), await one.acquire('a', 1000)]).toEqual([true, false]);
});

test('a lease that is given back is free; another’s cannot be given back', async () => {
  await one.acquire('b', 1000);
  await two.release('b');
  expect(await two.acquire('b', 1000)).toBe(false);
  await one.release('b');
  expect(await two.acquire('b', 1000)).toBe(true);
});

test('of many that ask at once one gets it', async () => {
  const clock = { now: () => new Date(now) };
  const asked = Array.from({ length: 20 }, (_, index) =>
    createLeases({ connection: mongo.connection, clock, holder: `holder ${index}` }).acquire(
      'c',
      1000,
    ),
  );
  expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(1);
});

test('work is done by the holder alone, who renews while it lasts', async () => {
  let finish = (): void => undefined;
  const working = one.hold('d', 300, () => new Promise<void>((resolve) => (finish = resolve)));
  const rows = mongo.connection
    .getClient()
    .db(mongo.connection.name)
    .collection<{ _id: string; until: Date }>('leases');
  const until = async (): Promise<number | undefined> =>
    (await rows.findOne({ _id: 'd' }))?.until.getTime();
  await expect.poll(until, { interval: 5 }).toBeDefined();
  let worked = false;
  expect(await two.hold('d', 300, () => Promise.resolve((worked = true)))).toBe(false);
  now += 290;
  const renewed = now + 300;
  await expect.poll(until, { interval: 5 }).toBe(renewed);
  now += 20;
  expect([await two.acquire('d', 300), worked]).toEqual([false, false]);
  finish();
  expect(await working).toBe(true);
});

test('work that fails fails its holder, and renews no longer', async () => {
  await expect(one.hold('e', 30, () => Promise.reject(new Error('broken')))).rejects.toThrow(
    'broken',
  );
  now += 31;
  expect(await two.acquire('e', 1000)).toBe(true);
});
