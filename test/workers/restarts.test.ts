// Pauses before dead workers are replaced: each is longer, and after ten deaths there is none.
import { expect, test } from 'vitest';
import { Restarts } from '../../src/workers/restarts.ts';

test('the pause doubles up to five seconds, and ends with the tenth death within a minute', () => {
  const restarts = new Restarts();
  const pauses = Array.from({ length: 10 }, (_, death) => restarts.recordDeath(death * 6000));
  expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000, null]);
});

test('deaths that are a minute old are forgotten', () => {
  const restarts = new Restarts();
  const pauses = Array.from({ length: 50 }, (_, death) => restarts.recordDeath(death * 20_000));
  expect(pauses.slice(0, 3)).toEqual([100, 200, 400]);
  expect(new Set(pauses.slice(3))).toEqual(new Set([400]));
});
