// Background work gives way: tables and properties of its duty, its rests, and its estimate of the load.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  busyAfter,
  LEAST_DUTY,
  MOST_DUTY,
  restMs,
  computeDuty,
} from '../../../src/platform/concurrency/throttle-duty.ts';

const part = fc.double({ min: 0, max: 1, noNaN: true });
const ms = fc.double({ min: 0.1, max: 1000, noNaN: true });

test.each([
  [0, 0.9],
  [0.05, 0.675],
  [0.1, 0.45],
  [0.2, 0.04],
  [0.5, 0.04],
  [1, 0.04],
])('busy for %d of its time, an instance leaves %d', (busy, expected) => {
  expect(computeDuty(busy)).toBeCloseTo(expected, 5);
});

test.each([
  // Idle: ninety parts of a hundred.
  [9, 0, 1],
  [0.5, 0, 1],
  [4.5, 0.1, 5.5],
  // Busy: four parts, but never longer than a quarter of a second.
  [4, 0.7, 96],
  [60, 0.7, 250],
])(
  'after %d ms of work on an instance that is busy for %d it rests %d ms',
  (worked, busy, rest) => {
    expect(restMs(worked, busy)).toBeCloseTo(rest, 5);
  },
);

test('the busier the instance, the less is taken; never nothing, never all', () => {
  fc.assert(
    fc.property(part, part, ms, (one, other, worked) => {
      const [less, more] = one < other ? [one, other] : [other, one];
      expect(computeDuty(more)).toBeLessThanOrEqual(computeDuty(less));
      expect(restMs(worked, more)).toBeGreaterThanOrEqual(restMs(worked, less));
      expect(computeDuty(more)).toBeGreaterThanOrEqual(LEAST_DUTY);
      expect(computeDuty(less)).toBeLessThanOrEqual(MOST_DUTY);
      expect(restMs(worked, more)).toBeLessThanOrEqual(250);
    }),
  );
});

test.each([
  ['two busy milliseconds are noticed', 0, { busy: 1, ms: 2 }, 0.2],
  ['ten are believed', 0, { busy: 0.7, ms: 10 }, 0.7],
  ['ten idle ones are not yet', 0.7, { busy: 0, ms: 10 }, 0.63],
  ['a rest that saw nothing is', 0.7, { busy: 0, ms: 100 }, 0],
])('%s', (_what, busy, seen, expected) => {
  expect(busyAfter(busy, seen)).toBeCloseTo(expected, 5);
});

test('what is believed lies between what was and what is seen', () => {
  fc.assert(
    fc.property(part, part, ms, (busy, seen, length) => {
      const after = busyAfter(busy, { busy: seen, ms: length });
      expect(after).toBeGreaterThanOrEqual(Math.min(busy, seen) - 1e-9);
      expect(after).toBeLessThanOrEqual(Math.max(busy, seen) + 1e-9);
    }),
  );
});
