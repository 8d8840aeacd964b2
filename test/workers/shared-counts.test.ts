// Limits that workers count together: exact where required, otherwise exceeded by less than an eighth, in any order.
// @module-tag varied
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CountRequest } from '../../src/platform/shared/window-counts.ts';
import { chooseRuns } from '../setup/runs.ts';
import { createCountingWorkers } from './counting-workers.ts';

const HOUR = 3_600_000;
const one = (limit: number, exact: boolean): CountRequest => ({
  namespace: 'a',
  key: 'x',
  windowMs: HOUR,
  limit,
  exact,
});

test.each([
  [true, 1],
  [false, 9 / 8],
])('exact %s: whatever the order, at most %d of a limit passes', async (exact, most) => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 8 }),
      fc.integer({ min: 1, max: 200 }),
      fc.array(fc.nat(7), { minLength: 1, maxLength: 300 }),
      fc.infiniteStream(fc.nat(2)),
      async (size, limit, requests, steps) => {
        const { workers } = createCountingWorkers(size, () => steps.next().value as number);
        const counted = requests.map(async (at) => workers[at % size]?.addHits(one(limit, exact)));
        const passed = (await Promise.all(counted)).filter((count) => (count?.hits ?? 0) <= limit);
        expect(passed.length).toBeGreaterThanOrEqual(Math.min(requests.length, limit));
        expect(passed.length).toBeLessThan(limit * most + 1);
      },
    ),
    { numRuns: chooseRuns(10, 30) },
  );
});

test('a request far from its limit costs no request to the primary', async () => {
  const { workers, asked } = createCountingWorkers(2, () => 0);
  for (let request = 0; request < 1000; request++)
    await workers[request % 2]?.addHits(one(1_000_000, false));
  expect(asked()).toBeLessThan(100);
  await expect
    .poll(async () => (await workers[0]?.addHits(one(1_000_000, true)))?.hits)
    .toBeGreaterThan(1000);
});

test('the count of one worker is known to another within moments', async () => {
  const { workers } = createCountingWorkers(2, () => 0);
  const known = async () => (await workers[1]?.addHits(one(1_000_000, true)))?.hits ?? 0;
  for (let round = 0; round < 3; round++) {
    const before = await known();
    for (let request = 0; request < 10; request++) await workers[0]?.addHits(one(1_000_000, false));
    let asked = 0;
    const moreThanAsked = async () => (await known()) - before - (asked += 1);
    await expect.poll(moreThanAsked).toBe(10);
  }
});
