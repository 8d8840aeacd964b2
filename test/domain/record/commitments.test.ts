// Commitments: their vectors, opened values, valid disclosures, and hidden siblings.
// @module-tag varied
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchDisclosures } from '@assay/verifier';
import { canonicalize, type Json } from '@assay/json';
import {
  disclose,
  isCommittedValue,
  deriveSalt,
  commitValue,
  commitValues,
} from '../../../src/domain/record/commitments.ts';
import { readVectors } from './vectors.ts';
import { chooseRuns } from '../../setup/runs.ts';

interface Vector {
  what: string;
  name: string;
  value: Json;
  seedHex: string;
  seed: string;
  salt: string;
  text: string;
  commitment: string;
  disclosures: string[];
}

const SEED = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
const json = fc.jsonValue({ maxDepth: 6 }) as fc.Arbitrary<Json>;
const seeds = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes));
const names = fc.constantFrom('outputDecision', 'metadata');

describe('commitments', () => {
  it.each(readVectors<Vector[]>('commitments.json'))('$name: $what', (vector) => {
    const { name, value, seed, text, commitment, disclosures } = vector;
    expect(commitValue(name, value, Buffer.from(vector.seedHex, 'hex'))).toEqual({
      seed,
      text,
      commitment,
    });
    expect(deriveSalt(seed, '')).toBe(vector.salt);
    expect(disclose(name, seed, text)).toEqual(disclosures);
    expect(matchDisclosures({ [name]: commitment }, disclosures).get(name)!.whole).toBe(true);
  });

  it('derives a salt from the first 16 bytes of SHA-256 over seed text and path', () => {
    fc.assert(
      fc.property(seeds, fc.string(), (seed, path) => {
        const text = seed.toString('base64url');
        const digest = createHash('sha256')
          .update(text + path)
          .digest();
        expect(deriveSalt(text, path)).toBe(digest.subarray(0, 16).toString('base64url'));
      }),
    );
  });

  it('discloses exactly the sealed value when disclosed whole', () => {
    fc.assert(
      fc.property(names, json, seeds, (name, value, seed) => {
        const sealed = commitValue(name, value, seed);
        expect(sealed.text).toBe(canonicalize(value));
        const shown = matchDisclosures(
          { [name]: sealed.commitment },
          disclose(name, sealed.seed, sealed.text),
        ).get(name)!;
        expect(shown.whole).toBe(true);
        for (const { path, value: part } of shown.values)
          expect(canonicalize(part)).toBe(canonicalize(at(value, path)));
      }),
      { numRuns: chooseRuns(100, 300) },
    );
  });

  it('opens only outputDecision, to depth 4 and at most 64 nodes, and no empty container', () => {
    fc.assert(
      fc.property(names, json, (name, value) => {
        const { seed, text } = commitValue(name, value, SEED);
        const disclosures = disclose(name, seed, text);
        expect(disclosures.length).toBeLessThanOrEqual(name === 'outputDecision' ? 64 : 1);
        for (const [salt, , kind, children] of disclosures.map(
          (array) => JSON.parse(array) as Json[],
        )) {
          expect(salt).toMatch(/^[\w-]{22}$/);
          if (children !== undefined)
            expect([kind, (children as Json[]).length > 0]).toEqual([
              expect.stringMatching(/^(?:object|array)$/),
              true,
            ]);
        }
      }),
      { numRuns: chooseRuns(100, 300) },
    );
  });

  it('matches the stored bytes and no others', () => {
    for (const name of ['outputDecision', 'metadata']) {
      const { seed, text, commitment } = commitValue(name, { a: [1, { b: 'x' }] }, SEED);
      expect(isCommittedValue(name, { seed, text }, commitment)).toBe(true);
      expect(isCommittedValue(name, { seed, text: text.replace('1', '2') }, commitment)).toBe(
        false,
      );
      expect(isCommittedValue(name, { seed, text: text.replace(',', ', ') }, commitment)).toBe(
        false,
      );
      expect(isCommittedValue(name, { seed, text: text.slice(1) }, commitment)).toBe(false);
      expect(isCommittedValue(name, { seed: `Z${seed.slice(1)}`, text }, commitment)).toBe(false);
      expect(
        isCommittedValue(
          name === 'metadata' ? 'rationale' : 'metadata',
          { seed, text },
          commitment,
        ),
      ).toBe(false);
    }
  });

  it('gives equal values different commitments, salts and siblings included', () => {
    const { seed, text } = commitValue('outputDecision', { a: 1, b: 1 }, SEED);
    const salts = disclose('outputDecision', seed, text).map(
      (array) => (JSON.parse(array) as string[])[0],
    );
    expect(new Set(salts).size).toBe(3);
    expect(salts).not.toContain(seed);
    expect(commitValue('metadata', 1, SEED).commitment).not.toBe(
      commitValue('rationale', 1, SEED).commitment,
    );
  });

  it('leaves out absent and null values', () => {
    const values = {
      submitted: 'x',
      rationale: null,
      metadata: undefined,
      outputDecision: { action: null },
    };
    const { sealed, commitments } = commitValues(values, () => SEED);
    expect(Object.keys(commitments)).toEqual(['outputDecision', 'submitted']);
    expect(Object.keys(sealed)).toEqual(['outputDecision', 'submitted']);
    expect(sealed.outputDecision!.text).toBe('{"action":null}');
  });

  it('refuses a seed of another length', () => {
    expect(() => commitValue('metadata', 1, Buffer.alloc(15))).toThrow(TypeError);
  });
});

/** The part of a value at a JSON Pointer. */
function at(value: Json, path: string): Json {
  const keys = path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return keys.reduce((part, key) => (part as Record<string, Json>)[key] as Json, value);
}
