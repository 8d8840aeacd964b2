// The size that a pattern is estimated to have once its repetitions are expanded.
import { expect, test } from 'vitest';
import { estimateClassCost, estimateExpandedSize } from '../src/pattern-size.ts';

test.each([
  ['', 0],
  ['abc', 3],
  ['a{3}', 3],
  ['a{0}', 1],
  ['a{2,5}', 5],
  ['a{2,}', 2],
  ['a{,2}', 5],
  ['ba{3}', 4],
  ['[a-z]{4}', 4],
  ['\\d{4}', 4],
  ['\\pL', 20],
  ['[\\p{Lu}\\p{Ll}]', 40],
  ['\\pL{3}', 60],
  ['\\Qa.b\\E', 7],
  ['(ab)', 3],
  ['(ab){3}', 9],
  ['(?:ab){3}', 9],
  ['((a{2}){3}b){4}', 44],
  ['(ab', 2],
  ['(a(b', 2],
  ['ab)', 3],
  ['(a){2}b{3}', 7],
])('%s has %i instructions', (source, size) => {
  expect(estimateExpandedSize(source)).toBe(size);
});

test.each([
  ['a', 0],
  ['\\pL[\\p{Lu}\\PN]', 3],
  ['(?i)\\pL', 2],
  ['(?i)[a-b]', 1 / 4000],
  ['(?i)[b-a]', 0],
  ['(?i)[\\x{100}-\\x{200}]', 256 / 4000],
  ['(?s-i:x)[\\x{100}-\\x{200}]', 0],
  ['[\\x{100}-\\x{200}]', 0],
  ['(?i)[\\x{1e943}-\\x{10ffff}]', 0],
  ['(?i)[\\x{0}-\\x{10ffff}]', 0x1e943 / 4000],
])('the classes of %s cost %d', (source, cost) => {
  expect(estimateClassCost(source)).toBe(cost);
});
