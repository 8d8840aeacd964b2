// Work pauses after a given amount, and neither before nor for ever after.
import { expect, test } from 'vitest';
import { Stint } from '../../src/domain/others-turn.ts';

test('lets the event loop run whenever the amount is done', async () => {
  const stint = new Stint(10);
  let turns = 0;
  const turnsAfter = async (amount: number): Promise<number> => {
    setImmediate(() => void turns++);
    const before = turns;
    await stint.after(amount);
    return turns - before;
  };
  expect(await turnsAfter(9)).toBe(0);
  expect(await turnsAfter(1)).toBeGreaterThan(0);
  turns = 0;
  expect(await turnsAfter(9)).toBe(0);
  expect(await turnsAfter(100)).toBeGreaterThan(0);
});
