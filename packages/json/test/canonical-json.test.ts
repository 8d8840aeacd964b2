// Canonical JSON against the vectors of RFC 8785, a second implementation and the language itself.
// @module-tag varied
import npmCanonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toCanonicalJson } from '@assay/verifier';
import { canonicalize, toCanonicalOrder } from '../src/canonical-json.ts';
import type { Json } from '../src/json.ts';
import { readVectors } from '../../../test/domain/record/vectors.ts';
import { chooseRuns } from '../../../test/setup/runs.ts';

interface Vectors {
  texts: { name: string; input: string; canonical: string }[];
  numbers: [string, string | null][];
}

const { texts, numbers } = readVectors<Vectors>('canonical-json.json');

describe('canonical JSON', () => {
  it.each(texts)('$name', ({ input, canonical: expected }) => {
    expect(canonicalize(JSON.parse(input) as Json)).toBe(expected);
    expect(toCanonicalJson(JSON.parse(input) as Json)).toBe(expected);
  });

  it.each(numbers)('number %s', (bits, expected) => {
    const value = Buffer.from(bits, 'hex').readDoubleBE();
    if (expected === null) expect(() => canonicalize(value)).toThrow(TypeError);
    else expect(canonicalize(value)).toBe(expected);
  });

  it('agrees with canonicalize of npm and with the verifier for any value', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const value = JSON.parse(text) as Json;
        expect(canonicalize(value)).toBe(npmCanonicalize(value));
        expect(toCanonicalJson(value)).toBe(npmCanonicalize(value));
      }),
      { numRuns: chooseRuns(200, 1_000) },
    );
  });

  it('agrees for strings and keys of any characters', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })),
        (value) => {
          expect(canonicalize(value)).toBe(npmCanonicalize(value));
        },
      ),
      { numRuns: chooseRuns(200, 1_000) },
    );
  });

  it('agrees for any number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(canonicalize(value)).toBe(npmCanonicalize(value));
      }),
      { numRuns: chooseRuns(200, 1_000) },
    );
  });

  it('does not change when parsed and serialized again', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = canonicalize(value as Json);
        expect(canonicalize(JSON.parse(text) as Json)).toBe(text);
      }),
    );
  });

  it('read again, is what a value in canonical order is written as', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const read = JSON.parse(canonicalize(value as Json)) as Json;
        expect(JSON.stringify(toCanonicalOrder(value as Json))).toBe(JSON.stringify(read));
      }),
    );
  });

  it.each([
    ['a lone surrogate', '\ud800'],
    ['a lone surrogate in a key', { '\udc00': 1 }],
    ['undefined', { a: undefined }],
    ['a function', [() => 1]],
    ['NaN', [NaN]],
    ['a bigint', 1n],
  ])('refuses %s', (_name, value) => {
    expect(() => canonicalize(value as unknown as Json)).toThrow(TypeError);
  });
});
