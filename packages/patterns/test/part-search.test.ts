// A search for many texts in one finds what the search for each finds.
// @module-tag varied
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findParts } from '../src/part-search.ts';
import { chooseRuns } from '../../../test/setup/runs.ts';

const text = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength });

test('finds those that occur, in short texts and long ones', () => {
  fc.assert(
    fc.property(
      fc.array(text(9), { maxLength: 12 }),
      text(60),
      fc.boolean(),
      (parts, end, long) => {
        const whole = (long ? 'd'.repeat(100_001) : '') + end;
        expect([...findParts(parts, whole)].sort()).toEqual(
          [...new Set(parts)].filter((part) => whole.includes(part)).sort(),
        );
      },
    ),
    { numRuns: chooseRuns(200, 1_000) },
  );
});
