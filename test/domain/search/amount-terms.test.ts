// Amounts as terms: a range covers exactly the amounts in it, with few terms, and short ones find no fewer.
// @module-tag varied
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import {
  listCoveringTerms,
  listAmountTerms,
  toAmountKey,
  toCoarseTerms,
} from '../../../src/domain/search/amount-terms.ts';
import { chooseRuns } from '../../setup/runs.ts';

const money = fc.nat({ max: 10_000_000 }).map((cents) => cents / 100);
const amount = fc.oneof(
  { weight: 4, arbitrary: money },
  fc.double({ min: 0, max: 1e40, noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, 0.1 + 0.2, 1e-7, 999.99, 1000, 1e21, Infinity),
);

test('a range has a term of each amount in it, and of no other', () => {
  fc.assert(
    fc.property(amount, amount, amount, (least, most, given) => {
      const cover = new Set(listCoveringTerms(least, most));
      const isFound = listAmountTerms(given).some((term) => cover.has(term));
      const isTiny = [least, most, given].some((one) => one > 0 && one < 1e-48);
      expect(isTiny || isFound === (least <= given && given <= most)).toBe(true);
    }),
    { numRuns: chooseRuns(1_000, 20_000) },
  );
});

test('keys are in the order of amounts', () => {
  const keys = [0, 1e-50, 0.01, 0.5, 1, 5, 12, 12.5, 129, 500, 1e5, 1e47, Infinity].map(
    toAmountKey,
  );
  expect(keys).toEqual(keys.toSorted());
});

test('short terms look up no fewer, and never many', () => {
  fc.assert(
    fc.property(amount, amount, amount, (least, most, given) => {
      const cover = listCoveringTerms(least, most);
      const coarse = new Set(toCoarseTerms(cover));
      expect(cover.length).toBeLessThan(400);
      expect(coarse.size).toBeLessThan(100);
      const terms = listAmountTerms(given);
      expect(terms.length).toBeLessThanOrEqual(20);
      if (terms.some((term) => cover.includes(term)))
        expect(terms.some((term) => coarse.has(term))).toBe(true);
    }),
    { numRuns: chooseRuns(500, 5_000) },
  );
});

it.each([
  ['more than anyone has', 1e60],
  ['no bound at all', Infinity],
])('%s is above all sums', (_, given) => {
  const isFound = (least: number, most: number): boolean =>
    listAmountTerms(given).some((term) => listCoveringTerms(least, most).includes(term));
  expect([isFound(1e48, Infinity), isFound(0, 1e48)]).toEqual([true, false]);
});
