// The change feed on a real database: who is told of what, and that it comes back whatever ended it.
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { type Connection, mongo as mongodb } from 'mongoose';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createChangeFeed, type ChangeFeed } from '../../src/platform/mongo/change-feed.ts';
import { connectMongo, type Mongo } from '../../src/platform/mongo/connection.ts';
import { objectId } from '../setup/harness.ts';
import { databaseUri } from '../setup/databases.ts';

const A = 'a'.repeat(24);
let mongo: Mongo;
let feed: ChangeFeed;
let told: (string | null)[];
let warned: string[];

function follow(connection: Connection): ChangeFeed {
  const made = createChangeFeed({ connection, log: { warn: (_, text) => warned.push(text) } });
  made.on('things', (organizationId) => told.push(organizationId));
  made.on('organizations', (organizationId) => told.push(organizationId));
  made.start();
  return made;
}
const collection = (name: string) =>
  mongo.connection.getClient().db(mongo.connection.name).collection(name);
const live = (): boolean => feed.live();

beforeEach(async () => {
  [told, warned] = [[], []];
  mongo = await connectMongo({ uri: databaseUri(), poolSize: 5 });
  feed = follow(mongo.connection);
  await expect.poll(live, { interval: 5 }).toBe(true);
});
afterEach(async () => {
  await feed.stop();
  await mongo.close();
});

test('when it becomes live everything may be stale', () => {
  expect(told).toEqual([null, null]);
});

test('a change tells its owner; one that does not show its owner tells of everybody', async () => {
  told.length = 0;
  const { insertedId } = await collection('things').insertOne({ organizationId: objectId(A) });
  await expect.poll(() => told).toEqual([A]);
  await collection('things').updateOne({ _id: insertedId }, { $set: { name: 'x' } });
  await expect.poll(() => told).toEqual([A, A]);
  await collection('organizations').insertOne({ _id: objectId('c'.repeat(24)) });
  await expect.poll(() => told).toEqual([A, A, 'c'.repeat(24)]);
  await collection('things').deleteOne({ _id: insertedId });
  await expect.poll(() => told).toEqual([A, A, 'c'.repeat(24), null]);
});

test('nobody is told of what nobody listens to, or of what was rolled back', async () => {
  told.length = 0;
  await collection('others').insertOne({ organizationId: objectId(A) });
  const session = await mongo.connection.startSession();
  session.startTransaction();
  await collection('things').insertOne({ organizationId: objectId('d'.repeat(24)) }, { session });
  await session.abortTransaction();
  await session.endSession();
  await collection('things').insertOne({ organizationId: objectId(A) });
  await expect.poll(() => told).toEqual([A]);
});

test('a stream that the database ends is opened anew, and everything may be stale again', async () => {
  told.length = 0;
  await collection('things').insertOne({ organizationId: objectId(A) });
  await mongo.connection.dropDatabase();
  await expect
    .poll(() => warned, { interval: 5 })
    .toEqual(['change feed interrupted; caches read through']);
  await expect.poll(live, { interval: 5 }).toBe(true);
  told.length = 0;
  await collection('things').insertOne({ organizationId: objectId(A) });
  await expect.poll(() => told).toEqual([A]);
});

test('after it is stopped it is not live, and tells nothing', async () => {
  await feed.stop();
  told.length = 0;
  await collection('things').insertOne({ organizationId: objectId(A) });
  expect([feed.live(), told]).toEqual([false, []]);
});

test('what a stream still says while it is being closed counts no more', async () => {
  const watching = vi.spyOn(mongodb.Db.prototype, 'watch');
  const stopped = follow(mongo.connection);
  await expect.poll(() => stopped.live(), { interval: 5 }).toBe(true);
  told.length = 0;
  const stopping = stopped.stop();
  watching.mock.results[0]?.value.emit('resumeTokenChanged');
  await stopping;
  watching.mockRestore();
  expect([stopped.live(), told]).toEqual([false, []]);
});

test(
  'a silent line counts as broken, and what happened meanwhile is not missed',
  { tags: ['long'] },
  async () => {
    const target = new URL(databaseUri());
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
    await expect.poll(() => far.live(), { interval: 5 }).toBe(true);
    sockets.forEach((socket) => socket.pause());
    await expect.poll(() => far.live(), { timeout: 10_000 }).toBe(false);
    await collection('things').insertOne({ organizationId: objectId(A) });
    told.length = 0;
    sockets.forEach((socket) => socket.resume());
    await expect.poll(() => far.live(), { timeout: 10_000 }).toBe(true);
    expect(told).toContain(null);
    await far.stop();
    await through.close();
    sockets.forEach((socket) => socket.destroy());
    bridge.close();
  },
);
