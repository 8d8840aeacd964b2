// A pattern costs time before it matches anything: Unicode classes, and ranges that ignore case, take long to make.
import { describe, expect, test } from 'vitest';
import { estimateClassCost, compilePattern, patternLimits } from '@assay/patterns';
import { checkPolicy, policyLimits, type Condition } from '@assay/policy';
import { measureProcessorMs } from '../../setup/runtime.ts';

const refusal = /^holds more Unicode classes \(\\p\{L\}\) or, ignoring case, longer ranges/;

const problemOf = (pattern: string): string => {
  const result = compilePattern(pattern);
  return 'problem' in result ? result.problem : '';
};

const patterned = (pattern: (at: number) => string): Condition[] =>
  Array.from({ length: policyLimits.conditions }, (_, at) => ({
    field: 'output.text',
    operator: 'regex',
    value: pattern(at),
  }));

describe('one pattern', () => {
  test.each([
    `(?i)${'[a-\\x{10FFFF}]'.repeat(60)}`,
    `(?im)[${'\\pL'.repeat(190)}]`,
    `(?s-m:x)(?i:[${'\\PL\\p{Greek}'.repeat(60)}])`,
    `(?i)${'[Ā-𞥃]'.repeat(60)}`,
  ])('%s is refused', (pattern) => {
    expect(problemOf(pattern)).toMatch(refusal);
    let count = 0;
    expect(measureProcessorMs(() => compilePattern(`${pattern}${count++}`))).toBeLessThan(50);
  });

  test.each([
    '\\pL{1,100}',
    '(?i)[a-z]+@[a-z]+',
    '(?i)[\\x00-\\x{10FFFF}]',
    '(?i)[\\p{L}\\p{N}_-]+\\s[\\p{L}]+',
    '(?i)[一-龥]+',
    `[${'\\pL'.repeat(190)}]`,
  ])('%s is taken', (pattern) => {
    expect(problemOf(pattern)).toBe('');
    expect(estimateClassCost(pattern)).toBeLessThanOrEqual(patternLimits.classes);
  });
});

test('all patterns of a policy together', () => {
  const few = patterned((at) => `(?i)\\pL[\\pL]${at}`);
  expect(checkPolicy(few, [{ type: 'block' }])).toEqual([]);
  const many = checkPolicy(
    patterned((at) => `(?i)\\pL[\\pL]|\\pL${at}`),
    [{ type: 'block' }],
  );
  expect(many).toEqual([{ path: 'conditions[33].value', text: expect.stringMatching(refusal) }]);
});

test('the instructions of all patterns of a policy together, the last condition within them being taken', () => {
  const fits = Math.floor(patternLimits.together / (patternLimits.instructions - 10));
  const wide = (at: number): string => `${at}${'[a-c]'.repeat(150)}`.padEnd(780, '-');
  const conditions = patterned(wide);
  const sizes = conditions.map(({ value }) => {
    const result = compilePattern(String(value));
    return 'pattern' in result ? result.pattern.instructions : NaN;
  });
  const sums = sizes.map((_, at) => sizes.slice(0, at + 1).reduce((sum, size) => sum + size));
  const first = sums.findIndex((sum) => sum > patternLimits.together);
  expect(first).toBeGreaterThan(fits);
  const plain: Condition = { field: 'a', operator: 'equals', value: 1 };
  expect(checkPolicy([...conditions, plain].slice(1), [{ type: 'block' }])).toEqual([
    {
      path: `conditions[${first}].value`,
      text: 'compiles to more than 5000 instructions, with the conditions before it; use fewer or smaller patterns',
    },
  ]);
  expect(checkPolicy([...conditions.slice(0, first), plain], [{ type: 'block' }])).toEqual([]);
});
