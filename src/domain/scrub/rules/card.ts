// Payment card numbers: thirteen to nineteen digits of a known issuer range that pass the Luhn check.
import { textFeatures } from '../inspect.ts';
import { matchesOf, type Rule, type Span } from '../rule.ts';

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

export const cardRule: Rule = { type: 'CARD', needs: textFeatures.digits13, find: findCards };

function findCards(text: string): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const match of matchesOf(text, groupStart)) {
    if (match.index < from) continue;
    const end = endOf(text, match.index);
    if (end === null) continue;
    spans.push({ start: match.index, end });
    from = end;
  }
  return spans;
}

/** The end of the longest card number that starts here, with single spaces or hyphens between digits; null when there is none. */
function endOf(text: string, start: number): number | null {
  let digits = '';
  let end: number | null = null;
  for (let at = start; digits.length < 19; at++) {
    const character = text[at] ?? '';
    if (/\d/.test(character)) digits += character;
    else if (!/[ -]/.test(character) || !/\d/.test(text[at + 1] ?? '')) return end;
    else continue;
    if (digits.length >= 13 && !/[A-Za-z0-9]/.test(text[at + 1] ?? '') && isCard(digits))
      end = at + 1;
  }
  return end;
}

function isCard(digits: string): boolean {
  const known = ranges.some(([, from, to, lengths]) => {
    const prefix = digits.slice(0, from.length);
    return prefix >= from && prefix <= to && lengths.includes(digits.length);
  });
  return known && luhn(digits) % 10 === 0;
}

/** The Luhn sum (ISO/IEC 7812-1): every second digit from the right is doubled, then digits are summed. */
function luhn(digits: string): number {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const doubled = digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
    sum += i % 2 === 0 ? digit : doubled;
  }
  return sum;
}
