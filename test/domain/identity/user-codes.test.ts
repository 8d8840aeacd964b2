// Codes that people type in: their alphabet, and what counts as the same code.
import { expect, test } from 'vitest';
import { drawUserCode, parseUserCode } from '../../../src/domain/identity/user-codes.ts';

test('a code has eight letters of twenty, each as likely as any other', () => {
  const bytes = Array.from({ length: 240 }, (_, byte) => byte);
  const counts = new Map<string, number>();
  for (let from = 0; from < 240; from += 8) {
    const code = drawUserCode(() => Buffer.from(bytes.slice(from, from + 8)));
    for (const letter of code.replace('-', '')) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  expect([...counts.keys()].sort().join('')).toBe('BCDFGHJKLMNPQRSTVWXZ');
  expect(new Set(counts.values())).toEqual(new Set([12]));
});

test('bytes that would prefer a letter are drawn again', () => {
  const draws = [Buffer.alloc(16, 255), Buffer.alloc(16, 1)];
  expect(drawUserCode(() => draws.shift() ?? Buffer.alloc(0))).toBe('CCCC-CCCC');
});

test.each([
  ['wdjb-mjht', 'WDJBMJHT'],
  [' WDJB MJHT ', 'WDJBMJHT'],
  ['WDJBMJHT', 'WDJBMJHT'],
  ['WDJB-MJH', null],
  ['WDJB-MJHTT', null],
  ['AEIO-UYAE', null],
  ['', null],
])('%j is read as %j', (typed, code) => {
  expect(parseUserCode(typed)).toBe(code);
});
