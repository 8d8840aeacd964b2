// Homes of organisations among workers: dealt evenly, kept while they are asked about, not moved when a worker is replaced.
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Homes } from '../../src/workers/homes.ts';

test('are dealt evenly, each to whoever asks first where several have as few', () => {
  const homes = new Homes();
  expect(homes.of('a', 2, [1, 2])).toBe(2);
  expect(homes.of('b', 2, [1, 2])).toBe(1);
  expect([homes.of('c', 1, [1, 2]), homes.of('d', 1, [1, 2])]).toEqual([1, 2]);
  expect(['a', 'b', 'c', 'd'].map((one) => homes.of(one, 1, [1, 2]))).toEqual([2, 1, 1, 2]);
});

test('of a worker that is replaced are with whoever asks meanwhile, and there again afterwards', () => {
  const homes = new Homes();
  expect(homes.of('a', 2, [1, 2, 3])).toBe(2);
  expect([homes.of('a', 1, [1, 3]), homes.of('a', 3, [1, 3])]).toEqual([1, 3]);
  expect([homes.of('a', 1, [1, 2, 3]), homes.of('b', 2, [1, 2, 3])]).toEqual([2, 1]);
});

test('that nobody asks about are forgotten', async () => {
  const homes = new Homes(100);
  for (const name of ['a', 'b', 'c']) homes.of(name, 1, [1]);
  await wait(60);
  expect(homes.of('a', 1, [1, 2])).toBe(1);
  await wait(60);
  expect(homes.of('d', 1, [1, 2])).toBe(2);
  expect(homes.of('e', 1, [1, 2])).toBe(1);
});
