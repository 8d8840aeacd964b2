// The features of a text, compared with their definitions as regular expressions.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldText } from '../src/fold.ts';
import { inspectText, mayBePersonal, textFeatures } from '../src/inspect.ts';

type Feature = keyof typeof textFeatures;

/** The numbers of digits of the runs of close digits, without those that are one date. */
function countCloseDigits(text: string, includesDates: boolean): number[] {
  const runs = text.match(/\d(?:[ \-./()+]{0,2}\d)*/g) ?? [];
  const isOneDate = (run: string): boolean =>
    run.replaceAll(/\D/g, '').length === 8 && /\d{4}([-/.])\d\d\1\d\d$/.test(run);
  return runs
    .filter((run) => includesDates || !isOneDate(run))
    .map((run) => run.replaceAll(/\D/g, '').length);
}

function hasWord(text: string, isWord: (word: string, digits: number) => boolean): boolean {
  const words = text.match(/[A-Za-z0-9]+/g) ?? [];
  return words.some((word) => isWord(word, word.replaceAll(/\D/g, '').length));
}

const definitions: Record<Feature, (text: string) => boolean> = {
  foldable: (text) => foldText(text).text !== text,
  at: (text) => /[@%]/.test(text),
  digits4: (text) => countCloseDigits(text, true).some((count) => count >= 4),
  digits8: (text) => countCloseDigits(text, false).some((count) => count >= 8),
  digits13: (text) => countCloseDigits(text, true).some((count) => count >= 13),
  ibanHead: (text) => /(?<![A-Za-z0-9])[A-Za-z]{2}\d\d/.test(text),
  mixed: (text) =>
    hasWord(text, (word, digits) => word.length >= 8 && digits >= 4 && digits < word.length),
  token: (text) =>
    (text.match(/(?:(?!["',;])[!-~]){8,}/g) ?? []).some(
      (run) => /\d/.test(run) && /[a-z]/i.test(run),
    ),
  address: (text) => /(?:\.\d{1,3}){3}|::|(?::[0-9a-f]{1,4}){7}/i.test(text),
  rule: (text) => text.includes('-----'),
};

const listFeatures = (text: string): Feature[] => {
  const bits = inspectText(text);
  return (Object.keys(textFeatures) as Feature[]).filter((name) => bits & textFeatures[name]);
};
const listDefined = (text: string): Feature[] =>
  (Object.keys(textFeatures) as Feature[]).filter((name) => definitions[name](text));

test.each([
  '',
  '123',
  '1234',
  '1234567',
  '12345678',
  '123456789012',
  '1234567890123',
  '1 2--3()4',
  '1 - 2 - 3 - 4',
  '12-  34',
  '2024-05-24',
  'on 2024/05/24.',
  '2024-05.24',
  '2024-05-24 1',
  '+2024-05-24',
  'GB82',
  'GB8',
  'G82A',
  'xGB82',
  'G821',
  'é GB82',
  'abcd1234',
  'abc1234',
  'abcde123',
  '12345678',
  'a1-b2_c3',
  'a1-b2_c',
  'a1-b"2_c3',
  "1234567'a",
  '1.2.3',
  '1.2.3.4',
  '.1234.1.1',
  'a:b:c:d:e:f:1',
  'a:b:c:d:e:f:1:2',
  ':x::',
  '::',
  '----',
  '-----',
  '\\',
  '\\\\',
  '\\\\x',
  '\\x',
  '\\n',
  '\\\\n',
  '\\u0041',
  'é',
  '５',
])('%j has the features that are defined', (text) => {
  expect(listFeatures(text)).toEqual(listDefined(text));
});

const pieces = [
  ...['1', '23', '4567', 'a', 'Bc', 'GB82', 'abcd1', ' ', '-', '.', '/', '(', '+', ':', '::', '@'],
  ...['%', '\\', '\\n', 'é', '５', '"', ',', '_', '2024-05-24', '.1.2.3', ':a:b:c:d', '----'],
];

test('any text has the features that are defined, and is inspected if it has one', () => {
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 8 });
  fc.assert(
    fc.property(texts, (parts) => {
      const text = parts.join('');
      const features = listFeatures(text);
      expect(features).toEqual(listDefined(text));
      // An address without any digit is no personal data.
      const mayMatter = features.some((name) => name !== 'address');
      expect(mayBePersonal(text) || !mayMatter).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['\\"', '"'],
  ['\\/', '/'],
  ['\\b', ' '],
  ['\\f', ' '],
  ['\\n', '\n'],
  ['\\r', '\n'],
  ['\\t', ' '],
  ['\\u0041', 'A'],
  ['\\\\\\u0041', 'A'],
  ['\\u00e9', 'é'],
  ['\\u004', '\\u004'],
  ['\\x', '\\x'],
  ['\\\\\\', '\\'],
  ['\\', '\\'],
  ['1\u200b2', '12'],
  ['\u00a0\u3000', '  '],
  ['\u2013\u2212', '--'],
  ['\u2014', '\u2014'],
  ['٤\u{1d7d8}', '40'],
  ['Ａ！', 'A!'],
  ['𝄞é', '𝄞é'],
])('%j is read as %j', (text, folded) => {
  expect(foldText(`a${text}-b`).text).toBe(`a${folded}-b`);
});

test('each unit of a folded text is at its place in the original', () => {
  const text = '𝄞\\u0041\u200b\\\\x1';
  const { text: folded, origin } = foldText(text);
  expect(folded).toBe('𝄞A\\x1');
  expect([...origin]).toEqual([0, 0, 2, 9, 11, 12, 13]);
});
