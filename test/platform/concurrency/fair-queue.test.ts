// The fair queue: shares and their clients are served in rotation, and the longest queue loses items when it is full.
import { expect, test } from 'vitest';
import { FairQueue, type QueueKey } from '../../../src/platform/concurrency/fair-queue.ts';
import { createFairSemaphore } from '../../../src/platform/concurrency/fair-semaphore.ts';

const line = (share: string, client = ''): QueueKey => ({ share, client });
function drain<T>(queue: FairQueue<T>): T[] {
  const all: T[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) all.push(next);
  return all;
}

test('shares are served in rotation, each in the order of its items', () => {
  const queue = new FairQueue<string>(10);
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.enqueue(line(item[0]!), item);
  expect([drain(queue), queue.size]).toEqual([['a1', 'b1', 'c1', 'a2', 'c2', 'a3'], 0]);
});

test('clients of a share are served in rotation, however many items one has', () => {
  const queue = new FairQueue<string>(10);
  for (const item of ['x1', 'x2', 'x3', 'y1', 'x4']) queue.enqueue(line('a', item[0]), item);
  queue.enqueue(line('b'), 'b1');
  expect(drain(queue)).toEqual(['x1', 'b1', 'y1', 'x2', 'x3', 'x4']);
});

test('a full queue drops the newest item of the busiest client of the largest share', () => {
  const queue = new FairQueue<string>(4);
  for (const item of ['x1', 'x2', 'y1']) expect(queue.enqueue(line('a', item[0]), item)).toBeNull();
  expect(queue.enqueue(line('b'), 'b1')).toBeNull();
  expect(queue.enqueue(line('c'), 'c1')).toBe('x2');
  expect(queue.enqueue(line('c'), 'c2')).toBe('c2');
  expect([queue.size, drain(queue)]).toEqual([4, ['x1', 'b1', 'c1', 'y1']]);
});

test('no item is lost or duplicated in any sequence of operations', () => {
  const queue = new FairQueue<number>(20);
  const seen: number[] = [];
  let [pushed, state] = [0, 7];
  const next = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  for (let step = 0; step < 5000; step++) {
    const out =
      next(5) < 3
        ? queue.enqueue(line(`s${next(4)}`, `c${next(3)}`), (pushed += 1))
        : queue.shift();
    if (out !== null && out !== undefined) seen.push(out);
    expect(queue.size).toBeLessThanOrEqual(20);
  }
  seen.push(...drain(queue));
  expect(seen.toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: pushed }, (_n, at) => at + 1),
  );
});

test('a slow holder no longer counts while others wait, and returns nothing afterwards', async () => {
  const semaphore = createFairSemaphore({ permits: 1, maxWaiting: 3, slowMs: 5 });
  const slow = await semaphore.acquire('a');
  const [second, third, fourth] = ['a', 'b', 'a'].map((share) => semaphore.acquire(share));
  const returnSecond = await second;
  slow?.();
  slow?.();
  returnSecond?.();
  returnSecond?.();
  // Its predecessor was returned before it was slow: the next one is watched all the same.
  expect(await third).toBeTypeOf('function');
  expect(await fourth).toBeTypeOf('function');
});

test('a semaphore grants no more permits than it has, and null to a refused caller', async () => {
  const semaphore = createFairSemaphore({ permits: 1, maxWaiting: 2 });
  const first = await semaphore.acquire('a');
  const [second, third] = [semaphore.acquire('a'), semaphore.acquire('a')];
  const other = semaphore.acquire('b');
  expect(await third).toBeNull();
  first?.();
  (await second)?.();
  expect(await other).toBeTypeOf('function');
});
