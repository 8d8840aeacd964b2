// Batches by key: one at a time for each key, with all that arrived in the meantime.
import { expect, test } from 'vitest';
import { BatchByKey } from '../../../src/platform/concurrency/batch-by-key.ts';

/** Batches that end when the test lets them. */
function createHeldBatches() {
  const begun: string[] = [];
  const endings: ((error?: Error) => void)[] = [];
  const batches = new BatchByKey<number>((key, items) => {
    begun.push(`${key}: ${items.join(' ')}`);
    return new Promise((resolve, reject) => {
      endings.push((error) => (error ? reject(error) : resolve()));
    });
  });
  return { batches, begun, endings };
}

test('items that arrive while a batch is under way form the next one', async () => {
  const { batches, begun, endings } = createHeldBatches();
  const first = batches.addItems('a', [1]);
  await expect.poll(() => begun).toEqual(['a: 1']);
  const later = [batches.addItems('a', [2, 3]), batches.addItems('a', [4])];
  endings[0]?.();
  await first;
  await expect.poll(() => begun).toEqual(['a: 1', 'a: 2 3 4']);
  endings[1]?.();
  await Promise.all(later);
});

test('keys do not wait for each other', async () => {
  const { batches, begun, endings } = createHeldBatches();
  const both = [batches.addItems('a', [1]), batches.addItems('b', [2])];
  await expect.poll(() => begun).toEqual(['a: 1', 'b: 2']);
  for (const end of endings) end();
  await Promise.all(both);
});

test('a failed batch fails its callers alone', async () => {
  const { batches, begun, endings } = createHeldBatches();
  const failed = batches.addItems('a', [1]);
  await expect.poll(() => begun).toHaveLength(1);
  const next = batches.addItems('a', [2]);
  endings[0]?.(new Error('no database'));
  await expect(failed).rejects.toThrow('no database');
  await expect.poll(() => begun).toHaveLength(2);
  endings[1]?.();
  await next;
});

test('no items are no batch', async () => {
  const { batches, begun } = createHeldBatches();
  await batches.addItems('a', []);
  expect(begun).toEqual([]);
});
