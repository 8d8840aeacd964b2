// The shared read of new entries: once per place, only the members the consumers read, and again after a failure.
import { mongo, type Connection } from 'mongoose';
import { expect, test } from 'vitest';
import { generateId } from '../../src/platform/ids.ts';
import { DECISIONS } from '../../src/ledger/chains.ts';
import type { Stored } from '../../src/ledger/entry.ts';
import { type Tail, TailReader, type TailReaderDeps } from '../../src/ledger/follow/tail-reader.ts';
import { toObjectId } from '../../src/ledger/ledger.model.ts';
import { draft, RealChain } from './store/real-chain.ts';

const chain = new RealChain('tail');

/** Creates a chain with entries and counts how often it is read. */
async function grown(count: number, more: Partial<TailReaderDeps> = {}) {
  const organizationId = generateId();
  const { appender } = chain.start();
  await Promise.all(Array.from({ length: count }, () => appender.append(draft(organizationId))));
  const reads: string[] = [];
  const connection = {
    collection(name: string) {
      reads.push(name);
      return chain.connection.collection(name);
    },
  } as Connection;
  const deps = { connection, chain: DECISIONS, organizationId, projection: {} };
  return { organizationId, reads, tail: new TailReader(Object.assign(deps, more)) };
}

const sequences = ({ entries }: Tail): number[] => entries.map(({ sequence }) => sequence);
const landed = (from: number, to: number): Stored[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ sequence: from + index }) as Stored);

test('two consumers at one place share one read and another place has its own', async () => {
  const { tail, reads } = await grown(7);
  const [first, second] = await Promise.all([tail.readAfter(0, 5), tail.readAfter(0, 5)]);
  expect(sequences(second)).toEqual(sequences(first));
  expect(reads).toHaveLength(1);
  expect(sequences(first)).toEqual([1, 2, 3, 4, 5]);
  expect(await tail.readAfter(2, 2)).toMatchObject({ isLast: false });
  expect(sequences(await tail.readAfter(2, 2))).toEqual([3, 4]);
  expect(reads).toHaveLength(1);
  const rest = await tail.readAfter(5, 5);
  expect([sequences(rest), rest.isLast]).toEqual([[6, 7], true]);
  expect(await tail.readAfter(7, 5)).toMatchObject({ entries: [], isLast: true });
  expect(reads).toHaveLength(2);
});

test('only the requested members, the sequence and the kind are read', async () => {
  const { tail } = await grown(1, { projection: { traceId: 1 } });
  const [entry] = (await tail.readAfter(0, 5)).entries;
  expect(Object.keys(entry ?? {}).sort()).toEqual(['kind', 'sequence', 'traceId']);
});

test('own recent entries are not read unless earlier ones are missing', async () => {
  const { tail, reads } = await grown(9, { landed: landed(4, 9) });
  expect(sequences(await tail.readAfter(3, 4))).toEqual([4, 5, 6, 7]);
  expect(await tail.readAfter(7, 4)).toMatchObject({ isLast: true });
  expect(reads).toEqual([]);
  expect(sequences(await tail.readAfter(1, 4))).toEqual([2, 3, 4, 5]);
  expect(reads).toHaveLength(1);
});

test('a read ends with the entry that exceeds its bytes', async () => {
  const { organizationId, tail } = await grown(4, { projection: { content: 1 } });
  const filter = { organizationId: toObjectId(organizationId), sequence: 2 };
  const content = Buffer.alloc(5 * 1024 * 1024);
  await chain.db.collection('ledger').updateOne(filter, { $set: { content } });
  const first = await tail.readAfter(0, 100);
  expect([sequences(first), first.isLast]).toEqual([[1, 2], false]);
  const second = await tail.readAfter(2, 100);
  expect([sequences(second), second.isLast]).toEqual([[3, 4], true]);
});

test('a failed read is not remembered', async () => {
  const unreachable = new mongo.MongoClient('mongodb://127.0.0.1:1', {
    serverSelectionTimeoutMS: 20,
  });
  await expect(unreachable.connect()).rejects.toThrow();
  const databases = [unreachable.db()];
  const connection = {
    collection: (name: string) => (databases.shift() ?? chain.connection).collection(name),
  } as Connection;
  const { tail } = await grown(1, { connection });
  await expect(tail.readAfter(0, 5)).rejects.toThrow('Topology is closed');
  expect((await tail.readAfter(0, 5)).entries).toHaveLength(1);
});
