// Limits that workers count together: exact where they must be, and otherwise over by less than an eighth, in any order of events.
// @module-tag varied
import fc from 'fast-check';
import { setImmediate as step } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Counted, WindowCounts } from '../../src/platform/shared/window-counts.ts';
import { SharedCounts } from '../../src/workers/shared-counts.ts';
import { runs } from '../setup/runs.ts';

const HOUR = 3_600_000;
const one = (limit: number, exact: boolean): Counted => ({
  room: 'a',
  key: 'x',
  windowMs: HOUR,
  limit,
  exact,
});

/** Workers whose messages to the primary take some steps of the event loop. */
function crew(size: number, steps: () => number): { workers: SharedCounts[]; asked: () => number } {
  const counts = new WindowCounts();
  let asked = 0;
  const workers = Array.from({ length: size }, () => {
    let last = Promise.resolve();
    return new SharedCounts((rows) => {
      asked += 1;
      // As over a channel, nothing overtakes.
      const arrival = last.then(async () => {
        for (let left = steps(); left > 0; left--) await step();
      });
      last = arrival;
      return arrival.then(() => rows.map((row) => counts.add(row, row.count, 0)));
    }, size);
  });
  return { workers, asked: () => asked };
}

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
        const { workers } = crew(size, () => steps.next().value as number);
        const counted = requests.map(async (at) => workers[at % size]?.add(one(limit, exact)));
        const passed = (await Promise.all(counted)).filter((count) => (count?.hits ?? 0) <= limit);
        expect(passed.length).toBeGreaterThanOrEqual(Math.min(requests.length, limit));
        expect(passed.length).toBeLessThan(limit * most + 1);
      },
    ),
    { numRuns: runs(10, 80) },
  );
});

test('what is far from its limit costs no question a request', async () => {
  const { workers, asked } = crew(2, () => 0);
  for (let request = 0; request < 1000; request++)
    await workers[request % 2]?.add(one(1_000_000, false));
  expect(asked()).toBeLessThan(100);
  await expect
    .poll(async () => (await workers[0]?.add(one(1_000_000, true)))?.hits)
    .toBeGreaterThan(1000);
});

test('what one worker has counted is known to another within moments', async () => {
  const { workers } = crew(2, () => 0);
  for (let request = 0; request < 10; request++) await workers[0]?.add(one(1000, false));
  await workers[1]?.add(one(1000, false));
  await expect
    .poll(async () => (await workers[1]?.add(one(1000, false)))?.hits)
    .toBeGreaterThanOrEqual(12);
});
