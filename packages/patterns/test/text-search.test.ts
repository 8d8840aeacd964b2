// A search for a text in others finds what the engine's own finds, on texts that make it slow as on any other.
// @module-tag varied
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTextSearch } from '../src/text-search.ts';
import { chooseRuns } from '../../../test/setup/runs.ts';

const text = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength });

test('is the same as the one of the language', () => {
  fc.assert(
    fc.property(text(40), text(200), fc.nat(200), (part, whole, at) => {
      expect(createTextSearch(part)(whole)).toBe(whole.includes(part));
      const inside = whole.slice(at, at + 30);
      expect(createTextSearch(inside)(whole)).toBe(true);
    }),
    { numRuns: chooseRuns(500, 4_000) },
  );
});
