// The index as a function of its counts (docs/reference/cpi.md).
// @module-tag varied
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  selectCount,
  computeCpi,
  NOTHING_JUDGED,
  countSample,
  computeRatio,
} from '../../src/domain/cpi.ts';
import { chooseRuns } from '../setup/runs.ts';

const counts = (
  correctFlags: number,
  falseFlags: number,
  misses: number,
  confirmations: number,
) => ({
  correctFlags,
  falseFlags,
  misses,
  confirmations,
  overridden: correctFlags + misses,
});

test.each([
  ['nothing', counts(0, 0, 0, 0), null],
  ['too little', counts(10, 0, 0, 9), null],
  ['all right', counts(10, 0, 0, 10), 100],
  ['all missed', counts(0, 0, 20, 0), 0],
  ['all held in vain', counts(0, 20, 0, 0), 50],
  ['some of each', counts(10, 4, 2, 24), 90],
  ['a fraction', counts(7, 3, 1, 19), 91.7],
] as const)('the score of %s', (_, given, score) => {
  expect(computeCpi(given).score).toBe(score);
});

test('the rates are shares of what was judged, null of nothing', () => {
  expect(computeCpi(counts(10, 4, 2, 24))).toEqual({
    score: 90,
    sampleSize: 40,
    correctFlagRate: 0.7143,
    falseFlagRate: 0.2857,
    humanOverrideRate: 0.3,
  });
  expect(computeCpi(NOTHING_JUDGED)).toEqual({
    score: null,
    sampleSize: 0,
    correctFlagRate: null,
    falseFlagRate: null,
    humanOverrideRate: null,
  });
});

test('a verdict goes where the table says', () => {
  expect(selectCount({ isHeld: true, isRight: true })).toBe('falseFlags');
  expect(selectCount({ isHeld: true, isRight: false })).toBe('correctFlags');
  expect(selectCount({ isHeld: false, isRight: true })).toBe('confirmations');
  expect(selectCount({ isHeld: false, isRight: false })).toBe('misses');
});

test('the score is between 0 and 100, and no further miss makes it better', () => {
  const count = fc.nat(1_000_000);
  fc.assert(
    fc.property(count, count, count, count, (a, b, c, d) => {
      const given = counts(a, b, c, d);
      const { score } = computeCpi(given);
      if (countSample(given) < 20) {
        expect(score).toBeNull();
        return;
      }
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(100);
      expect(computeCpi(counts(a, b, c + 1, d)).score).toBeLessThanOrEqual(score ?? 0);
    }),
    { numRuns: chooseRuns(200, 1000) },
  );
});

test('a share has four decimals', () => {
  expect(computeRatio(1, 3)).toBe(0.3333);
});
