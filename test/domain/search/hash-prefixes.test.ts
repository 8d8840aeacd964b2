// Packed hash prefixes find every position whose hash begins with given digits, exactly up to eight digits.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  packPrefixes,
  findPrefixPositions,
  countPrefixes,
} from '../../../src/domain/search/hash-prefixes.ts';

/** Few different digits, so that hashes begin alike. */
const hash = fc
  .array(fc.constantFrom('0', '1', '8', 'f'), { minLength: 64, maxLength: 64 })
  .map((digits) => digits.join(''));

test('finds the positions of the hashes with this beginning, the last first', () => {
  fc.assert(
    fc.property(
      fc.array(hash, { maxLength: 40 }),
      fc.integer({ min: 1, max: 8 }),
      fc.nat(),
      (hashes, digits, chosen) => {
        const packed = packPrefixes(hashes);
        expect(countPrefixes(packed)).toBe(hashes.length);
        const beginning = (hashes[chosen % (hashes.length || 1)] ?? '8f108f10').slice(0, digits);
        const expected = [...hashes.keys()].filter((at) => hashes[at]?.startsWith(beginning));
        expect(findPrefixPositions(packed, beginning)).toEqual(expected.toReversed());
      },
    ),
  );
});

test('digits beyond eight are ignored, and a slice of a larger buffer is read as such', () => {
  const [one, other] = ['a'.repeat(64), `${'a'.repeat(8)}${'b'.repeat(56)}`];
  const packed = packPrefixes(['f'.repeat(64), one, other]);
  expect(findPrefixPositions(packed, one)).toEqual([2, 1]);
  expect(findPrefixPositions(Buffer.concat([Buffer.alloc(3), packed]).subarray(3), 'ff')).toEqual([
    0,
  ]);
  expect(findPrefixPositions(Buffer.alloc(0), 'ff')).toEqual([]);
});
