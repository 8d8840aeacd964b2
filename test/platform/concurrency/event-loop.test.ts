// Work pauses after a given amount, and neither before nor for ever after.
import { expect, test } from 'vitest';
import { PeriodicYield } from '../../../src/platform/concurrency/event-loop.ts';

test('lets the event loop run whenever the amount is done', async () => {
  const yielding = new PeriodicYield(10);
  let turns = 0;
  const turnsAfter = async (amount: number): Promise<number> => {
    setImmediate(() => void turns++);
    const before = turns;
    await yielding.addWork(amount);
    return turns - before;
  };
  expect(await turnsAfter(9)).toBe(0);
  expect(await turnsAfter(1)).toBeGreaterThan(0);
  turns = 0;
  expect(await turnsAfter(9)).toBe(0);
  expect(await turnsAfter(100)).toBeGreaterThan(0);
});
