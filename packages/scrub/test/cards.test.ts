// Card numbers: the issuer ranges with their lengths, and numbers that only look like one.
import { expect, test } from 'vitest';
import { createScrubber } from '../src/scrubber.ts';

const scrubber = createScrubber({ nationalIds: true, extended: true });

const all = [13, 14, 15, 16, 17, 18, 19];
const issued: readonly (readonly [prefixes: string, lengths: readonly number[]])[] = [
  ['4', [13, 16, 19]],
  ['51 55 2221 2720', [16]],
  ['34 37', [15]],
  ['300 305 36 38 39', [14, 16, 19]],
  ['6011 644 659', [16, 19]],
  ['3528 3589', [16, 19]],
  ['62', [16, 17, 18, 19]],
  ['50 56 58 67', [13, 14, 15, 16, 18, 19]],
  ['6304', [16, 18, 19]],
  ['60 81 82', [16]],
  ['2200 2204', [16, 18, 19]],
  ['9792', [16]],
];
/** No card begins with one of these. */
const neighbours = [
  '2199',
  '2205',
  '2220',
  '2721',
  '33',
  '35000',
  '306',
  '3527',
  '3590',
  '59',
  '61',
];
const strangers = [...neighbours, '643', '66', '80', '83', '9791', '9793', '1', '0'];

function computeCheckDigit(digits: string): string {
  for (let digit = 0; digit < 10; digit++) {
    const values = [...`${digits}${digit}`].toReversed().map(Number);
    const doubled = values.map((value, at) =>
      at % 2 ? [...String(2 * value)].map(Number) : [value],
    );
    if (doubled.flat().reduce((sum, value) => sum + value) % 10 === 0) return String(digit);
  }
  throw new Error('every number has a check digit');
}

/** Every second digit weighs three times, as in article numbers. */
function isArticleNumber(digits: string): boolean {
  const weighed = [...digits].map((digit, at) => Number(digit) * (at % 2 === 0 ? 1 : 3));
  return digits.length === 13 && weighed.reduce((sum, value) => sum + value) % 10 === 0;
}

function createNumber(prefix: string, length: number): string {
  const numbers = [...'0123456789'].map((fill) => {
    const digits = prefix.padEnd(length - 1, fill);
    return digits + computeCheckDigit(digits);
  });
  return numbers.find((number) => !isArticleNumber(number))!;
}

const isCard = (number: string): boolean =>
  scrubber.scrubString(`paid with ${number} today`).text === 'paid with [CARD] today';

const cases = issued.flatMap(([prefixes, lengths]) =>
  prefixes.split(' ').map((prefix) => [prefix, lengths] as const),
);

test.each(cases)('cards that begin with %s have %j digits', (prefix, lengths) => {
  expect(all.filter((length) => isCard(createNumber(prefix, length)))).toEqual(lengths);
});

test.each(strangers)('no card begins with %s', (prefix) => {
  expect(all.filter((length) => isCard(createNumber(prefix, length)))).toEqual([]);
});

test('an article number is no card', () => {
  const number = '5000000000005';
  expect(number).toBe(`500000000000${computeCheckDigit('500000000000')}`);
  expect([isArticleNumber(number), isCard(number)]).toEqual([true, false]);
});

test('another check digit is no card', () => {
  const number = createNumber('4', 16);
  const last = Number(number.at(-1));
  const others = Array.from(
    { length: 9 },
    (_, at) => `${number.slice(0, -1)}${(last + at + 1) % 10}`,
  );
  expect(others.filter(isCard)).toEqual([]);
});
