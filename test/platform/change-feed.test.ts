// The change feed on a real database: notified listeners, and restarts after any failure.
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { type Connection, mongo as mongodb } from 'mongoose';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createChangeFeed, type ChangeFeed } from '../../src/platform/mongo/change-feed.ts';
import { connectMongo, type Mongo } from '../../src/platform/mongo/connection.ts';
import { toObjectId } from '../setup/harness.ts';
import { createDatabaseUri } from '../setup/databases.ts';

const A = 'a'.repeat(24);
let mongo: Mongo;
let feed: ChangeFeed;
let notified: (string | null)[];
let warned: string[];

function follow(connection: Connection): ChangeFeed {
  const made = createChangeFeed({ connection, log: { warn: (_, text) => warned.push(text) } });
  made.subscribe('things', (organizationId) => notified.push(organizationId));
  made.subscribe('organizations', (organizationId) => notified.push(organizationId));
  made.start();
  return made;
}
const collection = (name: string) =>
  mongo.connection.getClient().db(mongo.connection.name).collection(name);
const live = (): boolean => feed.isLive();

beforeEach(async () => {
  [notified, warned] = [[], []];
  mongo = await connectMongo({ uri: createDatabaseUri(), poolSize: 5 });
  feed = follow(mongo.connection);
  await expect.poll(live, { interval: 5 }).toBe(true);
});
afterEach(async () => {
  await feed.stop();
  await mongo.close();
});

test('everything is invalidated when the feed becomes live', () => {
  expect(notified).toEqual([null, null]);
});

test('a change invalidates its organisation; one without an organisation invalidates all', async () => {
  notified.length = 0;
  const { insertedId } = await collection('things').insertOne({ organizationId: toObjectId(A) });
  await expect.poll(() => notified).toEqual([A]);
  await collection('things').updateOne({ _id: insertedId }, { $set: { name: 'x' } });
  await expect.poll(() => notified).toEqual([A, A]);
  await collection('organizations').insertOne({ _id: toObjectId('c'.repeat(24)) });
  await expect.poll(() => notified).toEqual([A, A, 'c'.repeat(24)]);
  await collection('things').deleteOne({ _id: insertedId });
  await expect.poll(() => notified).toEqual([A, A, 'c'.repeat(24), null]);
});

test('does not notify of collections without listeners, or of aborted transactions', async () => {
  notified.length = 0;
  await collection('others').insertOne({ organizationId: toObjectId(A) });
  const session = await mongo.connection.startSession();
  session.startTransaction();
  await collection('things').insertOne({ organizationId: toObjectId('d'.repeat(24)) }, { session });
  await session.abortTransaction();
  await session.endSession();
  await collection('things').insertOne({ organizationId: toObjectId(A) });
  await expect.poll(() => notified).toEqual([A]);
});

test('a stream that the database ends is reopened, and everything is invalidated again', async () => {
  notified.length = 0;
  await collection('things').insertOne({ organizationId: toObjectId(A) });
  await mongo.connection.dropDatabase();
  await expect
    .poll(() => warned, { interval: 5 })
    .toEqual(['change feed interrupted; caches read through']);
  await expect.poll(live, { interval: 5 }).toBe(true);
  notified.length = 0;
  await collection('things').insertOne({ organizationId: toObjectId(A) });
  await expect.poll(() => notified).toEqual([A]);
});

test('a stopped feed is not live and does not notify', async () => {
  await feed.stop();
  notified.length = 0;
  await collection('things').insertOne({ organizationId: toObjectId(A) });
  expect([feed.isLive(), notified]).toEqual([false, []]);
});

test('events of a closing stream are ignored', async () => {
  const watching = vi.spyOn(mongodb.Db.prototype, 'watch');
  const stopped = follow(mongo.connection);
  await expect.poll(() => stopped.isLive(), { interval: 5 }).toBe(true);
  notified.length = 0;
  const stopping = stopped.stop();
  watching.mock.results[0]?.value.emit('resumeTokenChanged');
  await stopping;
  watching.mockRestore();
  expect([stopped.isLive(), notified]).toEqual([false, []]);
});

test(
  'a silent connection counts as broken, and changes in the meantime are not missed',
  { tags: ['long'] },
  async () => {
    const target = new URL(createDatabaseUri());
    const sockets = new Set<Socket>();
    const bridge = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      [near, far].forEach((socket) => sockets.add(socket.on('error', () => undefined)));
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) => bridge.listen(0, '127.0.0.1', resolve));
    const { port } = bridge.address() as AddressInfo;
    const uri = `mongodb://127.0.0.1:${port}/${mongo.connection.name}?directConnection=true`;
    const through = await connectMongo({ uri, poolSize: 5 });
    const far = follow(through.connection);
    await expect.poll(() => far.isLive(), { interval: 5 }).toBe(true);
    sockets.forEach((socket) => socket.pause());
    await expect.poll(() => far.isLive()).toBe(false);
    await collection('things').insertOne({ organizationId: toObjectId(A) });
    notified.length = 0;
    sockets.forEach((socket) => socket.resume());
    await expect.poll(() => far.isLive()).toBe(true);
    expect(notified).toContain(null);
    await far.stop();
    await through.close();
    sockets.forEach((socket) => socket.destroy());
    bridge.close();
  },
);

test('on a router of shards the feed is live by the pulses that it has seen, and not by tokens alone', async () => {
  await feed.stop();
  const database = mongo.connection.getClient().db(mongo.connection.name);
  const log = { warn: (_: object, text: string) => warned.push(text) };
  // A pulse that does not arrive, as behind an idle shard: here no row is accepted.
  await database.createCollection('pulses', { validator: { never: true } });
  feed = createChangeFeed({ connection: mongo.connection, log, pulses: true });
  feed.subscribe('things', (organizationId) => notified.push(organizationId));
  feed.start();
  await collection('things').insertOne({ organizationId: toObjectId(A) });
  await expect.poll(() => notified).toContain(A);
  expect(feed.isLive()).toBe(false);
  notified.length = 0;
  await database.command({ collMod: 'pulses', validator: {} });
  await expect.poll(live, { interval: 5 }).toBe(true);
  expect(notified).toEqual([null]);
  expect(warned.at(-1)).toContain('periodicNoopIntervalSecs');
  await feed.stop();
  await expect.poll(() => collection('pulses').countDocuments()).toBe(0);
});
