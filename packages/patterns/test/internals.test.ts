// Members of re2js that are private to it: the installed version has them, and without them the plain way is taken.
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { chargeWhole, createAutomaton } from '../src/automaton.ts';
import { findDfa } from '../src/re2-automaton.ts';
import { Work } from '../src/work.ts';

test('re2js has its automaton', () => {
  expect(findDfa(RE2JS.compile('a+b'))).not.toBeNull();
});

test('there is no automaton where re2js has another one', () => {
  expect(findDfa({ re2: () => ({}) } as never)).toBeNull();
  expect(findDfa({ re2: () => ({ dfa: { step: 1 } }) } as never)).toBeNull();
});

test.each(['a+b', '(?i)refund|money', '^x{2,5}y'])(
  '%s matches the same without its automaton',
  (pattern) => {
    const plain = chargeWhole(RE2JS.compile(pattern), 10);
    const automaton = createAutomaton(RE2JS.compile(pattern), 10);
    for (const text of ['aab', 'REFUND', 'xxxy', 'b', ''])
      expect(plain.matchText(text, new Work(10_000))).toBe(
        automaton.matchText(text, new Work(10_000)),
      );
  },
);

test('without its automaton a search that would take more than is left is not begun', () => {
  const plain = chargeWhole(RE2JS.compile('a+b'), 10);
  expect(plain.matchText('x'.repeat(100), new Work(999))).toBeNull();
  expect(plain.matchText('x'.repeat(100), new Work(1000))).toBe(false);
});
