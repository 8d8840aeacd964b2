// Truncated texts: never longer than the limit, never cut through a character.
// @module-tag varied
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { truncate } from '@assay/json';
import { toDisplayName } from '../../../src/identity/sign-on/login/display-name.ts';
import { chooseRuns } from '../../setup/runs.ts';

describe('truncate', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc'],
    ['', 0, ''],
    ['abc', 0, ''],
    ['ab😀', 3, 'ab'],
    ['ab😀', 4, 'ab😀'],
    ['abe\u0301', 3, 'ab'],
    ['a👨‍👩‍👧‍👦b', 5, 'a'],
    ['a🇩🇪🇫🇷', 7, 'a🇩🇪'],
    ['a🏽', 2, 'a'],
    ['नमस्ते', 4, 'नम'],
    ['\r\n', 1, '\r'],
  ])('%j to %d is %j', (text, limit, cut) => expect(truncate(text, limit)).toBe(cut));

  it('cuts a long pile of combining marks between two of them', () => {
    expect(truncate(`a${'\u0301'.repeat(500)}`, 100)).toBe(`a${'\u0301'.repeat(99)}`);
    expect(truncate('😀\u200d'.repeat(500), 100)).toMatch(/^(?:😀\u200d)+😀?$/u);
  });

  it('keeps the longest well-formed beginning', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 }).map((units) => units.toWellFormed());
    fc.assert(
      fc.property(text, fc.nat(120), (whole, limit) => {
        const cut = truncate(whole, limit);
        expect(whole.startsWith(cut)).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(cut.length).toBeGreaterThanOrEqual(Math.min(whole.length, limit - 64));
      }),
      { numRuns: chooseRuns(500, 4_000) },
    );
  });
});

it('is how names are cut', () => {
  const pairs = '😀'.repeat(5_000);
  for (const text of [pairs, `a${pairs}`]) {
    expect(toDisplayName({ name: text, email: 'a@b.co' }).isWellFormed()).toBe(true);
  }
});
