// Built patterns match exactly what their word lists say, held against the lists themselves.
// @module-tag varied
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern, Work, workLimits } from '@assay/patterns';
import { buildExceptPrefixPattern, buildNameWordPattern } from '../src/templates/patterns.ts';
import { chooseRuns } from '../../../test/setup/runs.ts';

function occurs(source: string, text: string): boolean {
  const result = compilePattern(source);
  if ('problem' in result) throw new Error(`${source} ${result.problem}`);
  return result.pattern.hasMatch([text], new Work(workLimits.conditions));
}

const word = fc
  .array(fc.constantFrom('a', 'b', '_', '.', '-', ']', '^', '\n'), { minLength: 1, maxLength: 4 })
  .map((letters) => letters.join(''));
const words = fc.array(word, { minLength: 1, maxLength: 4 });
const text = fc.oneof(
  word,
  fc.tuple(word, word).map(([a, b]) => a + b),
  fc.constant(''),
  fc.constant('é'),
);

describe('complements', () => {
  it('startingWithNoneOf is the complement of the prefixes', () => {
    fc.assert(
      fc.property(words, text, (list, text) => {
        expect(occurs(buildExceptPrefixPattern(list), text)).toBe(
          !list.some((prefix) => text.startsWith(prefix)),
        );
      }),
      { numRuns: chooseRuns(200, 1_000) },
    );
  });
});

describe('words', () => {
  it.each([
    ['delete', true],
    ['delete_user', true],
    ['bulk_delete', true],
    ['bulk_drop_all', true],
    ['undelete', false],
    ['deleted_items', false],
    ['dropdown', false],
  ])('in %s: %s', (name, expected) =>
    expect(occurs(buildNameWordPattern(['delete', 'drop']), name)).toBe(expected),
  );
});
