// Payment card numbers: thirteen to nineteen digits of a known issuer range that pass the Luhn check.
import { omitIdentifierParts } from '../identifiers.ts';
import { textFeatures } from '../inspect.ts';
import { type Candidates, type Rule, toSpans, type TextSearch } from '../rule.ts';

/** Issuer ranges by leading digits (inclusive, of equal width) and the lengths in use. */
const ranges: readonly (readonly [
  network: string,
  from: string,
  to: string,
  lengths: readonly number[],
])[] = [
  ['Visa', '4', '4', [13, 16, 19]],
  ['Mastercard', '51', '55', [16]],
  ['Mastercard', '2221', '2720', [16]],
  ['American Express', '34', '34', [15]],
  ['American Express', '37', '37', [15]],
  ['Diners Club', '300', '305', [14, 16, 19]],
  ['Diners Club', '36', '36', [14, 16, 19]],
  ['Diners Club', '38', '39', [14, 16, 19]],
  ['Discover', '6011', '6011', [16, 19]],
  ['Discover', '644', '659', [16, 19]],
  ['JCB', '3528', '3589', [16, 19]],
  ['UnionPay', '62', '62', [16, 17, 18, 19]],
  ['Maestro', '50', '50', [13, 14, 15, 16, 18, 19]],
  ['Maestro', '56', '58', [13, 14, 15, 16, 18, 19]],
  ['Maestro', '67', '67', [13, 14, 15, 16, 18, 19]],
  ['Maestro', '6304', '6304', [16, 18, 19]],
  ['RuPay', '60', '60', [16]],
  ['RuPay', '81', '82', [16]],
  ['Mir', '2200', '2204', [16, 18, 19]],
  ['Troy', '9792', '9792', [16]],
];

/** A digit at the start of a group, not inside a word or the decimals of a number. */
const groupStart = /(?<![A-Za-z0-9]|\d\.)\d/g;

export const cardRule: Rule = {
  type: 'CARD',
  needs: textFeatures.digits13,
  candidates: () => [omitIdentifierParts(createCardCandidates())],
};

/** Finds card numbers, none of which starts within another. */
function createCardCandidates(): Candidates {
  let from = 0;
  return {
    pattern: groupStart,
    extractSpans({ index }, search) {
      const length = index < from ? 0 : findCardLength(search, index);
      if (length > 0) from = index + length;
      return toSpans(index, length);
    },
  };
}

/** Matches up to nineteen digits with single spaces or hyphens between them. */
const digitGroups = /\d(?:[ -]?\d){12,18}/y;
/** The work of checking one length of one candidate. */
const CHECK = 15;

/** The length of the longest card number that starts here; 0 when there is none. */
function findCardLength({ text, work }: TextSearch, start: number): number {
  digitGroups.lastIndex = start;
  const found = digitGroups.exec(text)?.[0];
  if (found === undefined) return 0;
  let digits = found.replaceAll(/[ -]/g, '');
  for (let length = found.length; digits.length >= 13; length--) {
    if (!isDigit(found.charCodeAt(length - 1))) continue;
    if (!work.take(CHECK)) return 0;
    if (!isWordCharacter(text.charCodeAt(start + length)) && isCard(digits)) return length;
    digits = digits.slice(0, -1);
  }
  return 0;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Whether a code is an ASCII letter or digit; NaN, at the end of a text, is neither. */
function isWordCharacter(code: number): boolean {
  const lower = code | 0x20;
  return isDigit(code) || (lower >= 0x61 && lower <= 0x7a);
}

function isCard(digits: string): boolean {
  if (computeLuhnSum(digits) % 10 !== 0 || isArticleNumber(digits)) return false;
  return ranges.some(([, from, to, lengths]) => {
    const prefix = digits.slice(0, from.length);
    return prefix >= from && prefix <= to && lengths.includes(digits.length);
  });
}

/**
 * An EAN: thirteen digits whose check digit weighs every second one three times. No card of this length is issued any
 * more.
 */
function isArticleNumber(digits: string): boolean {
  if (digits.length !== 13) return false;
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (at % 2 ? 3 : 1), 0);
  return sum % 10 === 0;
}

/** The Luhn sum (ISO/IEC 7812-1): every second digit from the right is doubled, then digits are summed. */
function computeLuhnSum(digits: string): number {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const doubled = digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
    sum += i % 2 === 0 ? digit : doubled;
  }
  return sum;
}
