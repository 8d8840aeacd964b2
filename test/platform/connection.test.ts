// connectMongo: refused servers, its settings of Mongoose and the driver, and the clock of the database.
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { type Model, Schema } from 'mongoose';
import { findFreePort, startMongod } from '@assay/embedded-mongod';
import {
  connectMongo,
  readDatabaseTime,
  isOnThisMachine,
  type Mongo,
} from '../../src/platform/mongo/connection.ts';

interface Note {
  text: string;
}

const noteSchema = new Schema<Note>({ text: String });

let mongo: Mongo;

beforeAll(async () => {
  const uri = new URL(inject('mongoUri'));
  uri.pathname = '/infra-mongo';
  mongo = await connectMongo({ uri: uri.href, poolSize: 2 });
});

afterAll(async () => {
  await mongo.connection.dropDatabase();
  await mongo.close();
});

function notes(): Model<Note> {
  return mongo.connection.model<Note>('Note', noteSchema, 'notes', { overwriteModels: true });
}

test('a stand-alone server is refused', async () => {
  const folder = await mkdtemp(join(inject('scratch'), 'assay-standalone-'));
  const port = await findFreePort();
  const standalone = await startMongod({
    binary: inject('mongod').path,
    port,
    args: ['--dbpath', folder, '--wiredTigerCacheSizeGB', '0.25'],
    logFile: join(folder, 'mongod.log'),
    removeAfterwards: folder,
  });
  onTestFinished(() => standalone.stop());
  const attempt = connectMongo({ uri: `mongodb://127.0.0.1:${port}/assay`, poolSize: 1 });
  await expect(attempt).rejects.toThrow('MONGODB_URI names a stand-alone server');
});

test('the error of an unreachable server names the address without the password', async () => {
  const uri = `mongodb://app:secret@127.0.0.1:${await findFreePort()}/assay`;
  const failure = await connectMongo({ uri, poolSize: 1, selectionTimeoutMs: 50 }).catch(String);
  expect(failure).toContain(`No primary found at ${uri.replace('app:secret', '***')}`);
  expect(failure).not.toContain('secret');
});

test('reads and writes use majority concerns and are retried', () => {
  const { writeConcern, readConcern, retryWrites, maxPoolSize } =
    mongo.connection.getClient().options;
  expect(writeConcern).toMatchObject({ w: 'majority' });
  expect(readConcern).toMatchObject({ level: 'majority' });
  expect({ retryWrites, maxPoolSize }).toEqual({ retryWrites: true, maxPoolSize: 2 });
});

test('a filter on a path that the schema does not have throws', async () => {
  await expect(notes().find(JSON.parse('{"txet":"a"}') as object)).rejects.toThrow('strictQuery');
});

test('a write inside a transaction joins it without an explicit session', async () => {
  await notes().create({ text: 'before' });
  const transaction = mongo.connection.transaction(async () => {
    await notes().create({ text: 'inside' });
    throw new Error('changed my mind');
  });
  await expect(transaction).rejects.toThrow('changed my mind');
  expect(await notes().countDocuments({ text: 'inside' })).toBe(0);
});

test("the database's time is read independently of this clock", async () => {
  const before = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: before + 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect(Math.abs((await readDatabaseTime(mongo.connection)) - before)).toBeLessThan(2000);
});

test.each([
  ['127.0.0.1', true],
  ['0.0.0.0', false],
])('a database at %s is on this machine: %s', async (host, expected) => {
  const uri = new URL(inject('mongoUri'));
  uri.hostname = host;
  const there = await connectMongo({ uri: uri.href, poolSize: 1 });
  onTestFinished(() => there.close());
  expect(isOnThisMachine(there.connection)).toBe(expected);
});
