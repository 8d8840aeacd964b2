// The fair queue: tenants and their clients are served in rotation, and the longest queue loses items when it is full.
import { expect, test } from 'vitest';
import { FairQueue, type QueueKey } from '../../../src/platform/concurrency/fair-queue.ts';

const line = (tenant: string, client = ''): QueueKey => ({ tenant, client });
function drain<T>(queue: FairQueue<T>): T[] {
  const all: T[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) all.push(next);
  return all;
}

test('tenants are served in rotation, each in the order of its items', () => {
  const queue = new FairQueue<string>(10);
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.enqueue(line(item[0]!), item);
  expect([drain(queue), queue.size]).toEqual([['a1', 'b1', 'c1', 'a2', 'c2', 'a3'], 0]);
});

test('clients of a tenant are served in rotation, however many items one has', () => {
  const queue = new FairQueue<string>(10);
  for (const item of ['x1', 'x2', 'x3', 'y1', 'x4']) queue.enqueue(line('a', item[0]), item);
  queue.enqueue(line('b'), 'b1');
  expect(drain(queue)).toEqual(['x1', 'b1', 'y1', 'x2', 'x3', 'x4']);
});

test('a full queue drops the newest item of the busiest client of the largest tenant', () => {
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

test('a removed item is served no more, and keeps no place', () => {
  const queue = new FairQueue<string>(3);
  for (const item of ['a1', 'a2', 'b1']) queue.enqueue(line(item[0]!), item);
  queue.remove(line('a'), 'a1');
  queue.remove(line('a'), 'a1');
  queue.remove(line('c'), 'a2');
  expect([queue.size, queue.count('a'), queue.count('b'), queue.count('c')]).toEqual([2, 1, 1, 0]);
  expect(queue.enqueue(line('b'), 'b2')).toBeNull();
  queue.remove(line('a'), 'a2');
  expect(drain(queue)).toEqual(['b1', 'b2']);
});
