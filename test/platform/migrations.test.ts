// Migrations and indexes on a real database: once, in order, before serving, also with concurrent starts.
import { Schema, type Connection, type Model } from 'mongoose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { systemTimer } from '../../src/platform/concurrency/timer.ts';
import { createLeases } from '../../src/platform/jobs/leases.ts';
import type { KeyStore } from '../../src/platform/key-store/key-store.ts';
import { migrate, type Migration } from '../../src/platform/mongo/migrations.ts';
import { connectMongo, type Mongo } from '../../src/platform/mongo/connection.ts';
import { createDatabaseUri } from '../setup/databases.ts';

const lasting = (id: string) => ({ id, isGone: () => Promise.resolve(false) });

let mongo: Mongo;
let ran: string[];
beforeAll(async () => {
  mongo = await connectMongo({ uri: createDatabaseUri(), poolSize: 10 });
});
afterAll(() => mongo.close());
beforeEach(async () => {
  ran = [];
  await mongo.connection.dropDatabase();
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const step = (id: string, work: () => Promise<unknown> = () => pause(20)): Migration => ({
  id,
  async run() {
    ran.push(id);
    await work();
  },
});
let made = 0;
function thing(connection: Connection, index: string): Model<never> {
  const schema = new Schema({ [index]: String }, { collection: 'things', autoIndex: false });
  schema.index({ [index]: 1 }, { name: index });
  return connection.model(`Thing${(made += 1)}`, schema) as unknown as Model<never>;
}
function start(
  holder: string,
  migrations: Migration[],
  models: Model<never>[] = [],
): Promise<void> {
  const { connection } = mongo;
  const leases = createLeases({
    connection,
    clock: systemClock,
    timer: systemTimer,
    instances: lasting(holder),
  });
  return migrate({
    connection,
    keyStore: {} as KeyStore,
    models,
    migrations,
    leases,
    clock: systemClock,
    wait: () => pause(5),
    log: () => undefined,
  });
}

test('each migration runs once and in order, also across restarts', async () => {
  await start('one', [step('1'), step('2')]);
  await start('one', [step('1'), step('2'), step('3')]);
  expect(ran).toEqual(['1', '2', '3']);
});

test(
  'one of several starting instances runs the migrations, and none serves before they are done',
  { tags: ['long'] },
  async () => {
    const known: string[] = [];
    for (let round = 0; round < 10; round++) {
      const ids = [`${round}-a`, `${round}-b`];
      known.push(...ids);
      const finished = async (holder: string): Promise<string[]> => {
        await start(
          holder,
          known.map((id) => step(id)),
        );
        return ran.slice(-2);
      };
      expect(await Promise.all(['one', 'two', 'three'].map(finished))).toEqual(Array(3).fill(ids));
    }
    expect(ran).toHaveLength(20);
  },
);

test('a failed migration stops the start, releases the lease, and runs again at the next start', async () => {
  const broken = step('broken', () => Promise.reject(new Error('no space')));
  await expect(start('one', [step('before'), broken, step('after')])).rejects.toThrow('no space');
  expect(ran).toEqual(['before', 'broken']);
  await start('two', [step('before'), step('broken'), step('after')]);
  expect(ran).toEqual(['before', 'broken', 'broken', 'after']);
});

test('declared indexes are built, and rebuilt when a schema declares others', async () => {
  const names = async (): Promise<string[]> =>
    (
      await mongo.connection.getClient().db(mongo.connection.name).collection('things').indexes()
    ).map(({ name = '' }) => name);
  await start('one', [], [thing(mongo.connection, 'first')]);
  expect(await names()).toEqual(['_id_', 'first']);
  await start('one', [], [thing(mongo.connection, 'first'), thing(mongo.connection, 'second')]);
  expect(await names()).toEqual(['_id_', 'first', 'second']);
});

test('a store of a newer version is refused and left untouched', async () => {
  const mark = { id: 'a shape of tomorrow' };
  await start('new', [step('1'), mark]);
  ran = [];
  await expect(
    start('old', [step('1'), step('2')], [thing(mongo.connection, 'old')]),
  ).rejects.toThrow('changed by a newer version of Assay (a shape of tomorrow)');
  expect(ran).toEqual([]);
  expect(await mongo.connection.listCollections()).toHaveLength(2);
  await start('new', [step('1'), mark, step('3')]);
  expect(ran).toEqual(['3']);
});

test('one that was stopped on the way, and overtaken, changes nothing when it wakes', async () => {
  const { connection } = mongo;
  const counts = connection.model('Count', new Schema({ at: String }, { collection: 'counts' }));
  await counts.createCollection();
  await counts.create({ at: 'before' });
  let wake = (): void => undefined;
  const woken = new Promise<void>((resolve) => (wake = resolve));
  let isStopped = false;
  /** Clears what is counted again once it has run; the first instance is stopped in between. */
  const reset: Migration = {
    id: 'reset',
    isAtomic: true,
    async run() {
      if (!isStopped) {
        isStopped = true;
        await woken;
      }
      await counts.deleteMany({});
    },
  };
  const stopped = start('one', [reset]);
  await expect.poll(() => isStopped).toBe(true);
  // As if its lease had ended.
  await connection.collection('leases').deleteMany({});
  await start('two', [reset]);
  expect(await counts.countDocuments()).toBe(0);
  await counts.create({ at: 'after' });
  wake();
  await stopped;
  expect((await counts.find()).map(({ at }) => at)).toEqual(['after']);
});
