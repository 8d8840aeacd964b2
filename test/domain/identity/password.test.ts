// The normalization of passwords.
import { expect, test } from 'vitest';
import { normalizePassword, listPasswordSpellings } from '../../../src/domain/identity/password.ts';

const COMPOSED = 'Gr\u00fc\u00dfe-1234';
const DECOMPOSED = 'Gru\u0308\u00dfe-1234';

test.each([
  ['Correct-Horse-9', 'Correct-Horse-9'],
  [COMPOSED, COMPOSED],
  [DECOMPOSED, COMPOSED],
  ['\uff21\uff42\uff43-\uff11\uff12', 'Abc-12'],
  ['\ufb01sh\u00a0and', 'fish and'],
  ['\u212bngstr\u00f6m', '\u00c5ngstr\u00f6m'],
])('%j is hashed as %j', (typed, hashed) => {
  expect(normalizePassword(typed)).toBe(hashed);
  expect(normalizePassword(hashed)).toBe(hashed);
});

test('in ASCII there is one spelling; else the one that is hashed comes first, each other once', () => {
  expect(listPasswordSpellings('Correct-Horse-9')).toEqual(['Correct-Horse-9']);
  expect(listPasswordSpellings(COMPOSED)).toEqual([COMPOSED, DECOMPOSED]);
  expect(listPasswordSpellings(DECOMPOSED)).toEqual([COMPOSED, DECOMPOSED]);
  expect(listPasswordSpellings('\ufb01')).toEqual(['fi', '\ufb01']);
});
