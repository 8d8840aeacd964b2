// The append queue of one organisation: the entries of the next batch, and the limits on waiting ones.
import { expect, test } from 'vitest';
import { toObjectId } from '../../../src/ledger/ledger.model.ts';
import {
  AppendQueue,
  AppendQueues,
  type QueueLimits,
} from '../../../src/ledger/append/append-queue.ts';
import { PendingAppend } from '../../../src/ledger/append/pending-append.ts';
import { generateId } from '../../../src/platform/ids.ts';
import { draft } from '../store/real-chain.ts';

const LIMITS: QueueLimits = {
  batch: 3,
  bytes: 1000,
  queue: 4,
  bufferedBytes: { perOrganization: 2000, inAll: 3000 },
};
const organizationId = generateId();

/** Creates an entry of exactly `bytes` bytes. */
function pendingOf(bytes: number): PendingAppend {
  const empty = new PendingAppend(
    draft(organizationId, { payload: '' }),
    toObjectId(generateId()),
    new Date(),
  );
  const payload = 'x'.repeat(bytes - empty.bytes);
  return new PendingAppend(
    draft(organizationId, { payload }),
    toObjectId(generateId()),
    new Date(),
  );
}

/** Returns the batches, by entry size, into which a queue of entries of these sizes is split. */
function batchesOf(sizes: readonly number[]): number[][] {
  const queue = new AppendQueue(organizationId);
  for (const size of sizes) queue.enqueue(pendingOf(size));
  const batches: number[][] = [];
  while (queue.waiting > 0) batches.push(queue.takeBatch(LIMITS).map(({ bytes }) => bytes));
  return batches;
}

test.each([
  ['as many entries as it may', [100, 100, 100], [[100, 100, 100]]],
  ['one entry more', [100, 110, 120, 130], [[100, 110, 120], [130]]],
  ['many more', Array(7).fill(50), [Array(3).fill(50), Array(3).fill(50), [50]]],
  ['as many bytes as it may', [400, 600], [[400, 600]]],
  ['one byte more', [400, 601], [[400], [601]]],
  ['a small entry behind one that does not fit', [400, 601, 100], [[400], [601, 100]]],
  ['a larger entry at the front', [1001, 100, 100], [[1001], [100, 100]]],
  ['a larger entry behind another', [100, 1001, 100], [[100], [1001], [100]]],
  ['nothing but larger entries', [1500, 1500], [[1500], [1500]]],
])('a batch keeps its limits and its order: %s', (_what, sizes, batches) => {
  expect(batchesOf(sizes)).toEqual(batches);
});

test('an empty queue gives an empty batch', () => {
  expect(new AppendQueue(organizationId).takeBatch(LIMITS)).toEqual([]);
});

/** Enqueues entries of these sizes, each for its organisation; returns which were accepted. */
function admitted(entries: readonly [organization: string, bytes: number][]) {
  const queues = new AppendQueues();
  const ids = new Map(entries.map(([organization]) => [organization, generateId()]));
  const admit = ([organization, bytes]: (typeof entries)[number]) => {
    const pending = pendingOf(bytes);
    const queue = queues.getQueue(ids.get(organization) ?? '');
    return { pending, queue, isAdmitted: queues.tryEnqueue(queue, pending, LIMITS) };
  };
  return { results: entries.map(admit), admit };
}

test.each<[string, [string, number][], boolean[]]>([
  [
    'as many entries as the limit',
    [100, 100, 100, 100, 100].map((bytes) => ['a', bytes]),
    [true, true, true, true, false],
  ],
  [
    'as many bytes of one as the limit',
    [
      ['a', 1000],
      ['a', 1000],
    ],
    [true, true],
  ],
  [
    'one byte more of one',
    [
      ['a', 1000],
      ['a', 1001],
    ],
    [true, false],
  ],
  [
    'as many bytes of several as the limit',
    [
      ['a', 1500],
      ['b', 1500],
    ],
    [true, true],
  ],
  [
    'one byte more of several',
    [
      ['a', 1500],
      ['b', 1501],
    ],
    [true, false],
  ],
  [
    'one entry larger than all, alone',
    [
      ['a', 5000],
      ['a', 100],
      ['b', 100],
    ],
    [true, false, false],
  ],
])('%s may wait', (_what, entries, expected) => {
  expect(admitted(entries).results.map(({ isAdmitted }) => isAdmitted)).toEqual(expected);
});

test('an answered append makes room once', () => {
  const { results, admit } = admitted([
    ['a', 1500],
    ['b', 1500],
  ]);
  const [{ pending, queue } = admit(['a', 1])] = results;
  queue.takeBatch(LIMITS);
  expect(admit(['a', 1500]).isAdmitted).toBe(false);
  for (let times = 0; times < 2; times++) {
    pending.outcome.catch(() => undefined);
    pending.reject(new Error('answered'));
  }
  expect(admit(['a', 1501]).isAdmitted).toBe(false);
  expect(admit(['a', 1500]).isAdmitted).toBe(true);
});

test('a known queue is reused and keeps its head for a minute', () => {
  const queues = new AppendQueues();
  const queue = queues.getQueue(organizationId);
  expect(queues.getQueue(organizationId)).toBe(queue);
  expect(queues.getQueue(generateId())).not.toBe(queue);
  const head = { sequence: 1 } as never;
  const start = Date.now();
  const headAfter = (ms: number): unknown => {
    queue.markUsed(new Date(start));
    queue.acceptHead(head);
    queue.markUsed(new Date(start + ms));
    return queue.head;
  };
  expect([headAfter(0), headAfter(60_000), headAfter(-60_000)]).toEqual([head, head, head]);
  expect([headAfter(60_001), headAfter(-60_001)]).toEqual([null, null]);
  expect(queue.trusted).toBe(head);
});
