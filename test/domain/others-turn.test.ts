// Whoever works pauses after so much of it, and neither before nor for ever after.
import { expect, test } from 'vitest';
import { Stint } from '../../src/domain/others-turn.ts';

test('others have their turn whenever so much was done', async () => {
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
