// The shared read of new entries: once for consumers at one place, only the members they read, and again after a failure.
import { mongo, type Connection } from 'mongoose';
import { expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { DECISIONS } from '../../src/ledger/chains.ts';
import { TailReader } from '../../src/ledger/follow/tail-reader.ts';
import { draft, RealChain } from './store/real-chain.ts';

const chain = new RealChain('tail');

async function grown(count: number, projection: Record<string, 1> = {}): Promise<TailReader> {
  const organizationId = newId();
  const { appender } = chain.start();
  await Promise.all(Array.from({ length: count }, () => appender.append(draft(organizationId))));
  return new TailReader({
    connection: chain.connection,
    chain: DECISIONS,
    organizationId,
    projection,
  });
}

test('two at one place share one reading, another place has its own', async () => {
  const tail = await grown(7);
  const [first, second] = await Promise.all([tail.after(0, 5), tail.after(0, 5)]);
  expect(first).toBe(second);
  expect(first.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
  expect((await tail.after(5, 5)).map(({ sequence }) => sequence)).toEqual([6, 7]);
  expect(await tail.after(7, 5)).toEqual([]);
});

test('nothing is read but the members asked for, the sequence and the kind', async () => {
  const [entry] = await (await grown(1, { traceId: 1 })).after(0, 5);
  expect(Object.keys(entry ?? {}).sort()).toEqual(['kind', 'sequence', 'traceId']);
});

test('a reading that failed is not remembered', async () => {
  const { organizationId } = await grown(1);
  const nobody = new mongo.MongoClient('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 20 });
  await expect(nobody.connect()).rejects.toThrow();
  const databases = [nobody.db()];
  const connection = {
    collection: (name: string) => (databases.shift() ?? chain.connection).collection(name),
  } as Connection;
  const tail = new TailReader({ connection, chain: DECISIONS, organizationId, projection: {} });
  await expect(tail.after(0, 5)).rejects.toThrow('Topology is closed');
  expect(await tail.after(0, 5)).toHaveLength(1);
});
