// Equality in depth against Node's own.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { Types } from 'mongoose';
import { expect, test } from 'vitest';
import { isEqual } from '../../../src/domain/record/equal.ts';

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, undefined, 0, -0, NaN, 1, '', 'a', true, false),
    fc.constantFrom(new Date(0), new Date(1)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'toString'), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
})).value;

test('plain values are equal exactly where Node says so', () => {
  const pair = fc.oneof(
    fc.tuple(value, value),
    value.map((one) => [one, structuredClone(one)]),
  );
  fc.assert(
    fc.property(pair, ([a, b]) => {
      expect(isEqual(a, b)).toBe(isDeepStrictEqual(a, b));
    }),
    { numRuns: 5_000 },
  );
});

test('an object of a class is no plain one', () => {
  const id = new Types.ObjectId();
  expect(isEqual(id, { ...id })).toBe(false);
  expect(isEqual([], {})).toBe(false);
});
