// Amounts as terms of an index of words: each is known by the beginnings of its digits, and a range by the beginnings it covers.

/** Keys of amounts are compared as texts: two digits for the power of ten, then the digits without zeros at the end. */
const ZERO = '00';
/** What no reading bounds is above all others. */
const BEYOND = '99';
/** The power of ten is shifted by this much, and bounded by it: no one has such sums. */
const SHIFT = 50;
const POWER_MAX = 48;
/** Ends the term of a whole key; others stand for all keys that begin with them. */
const END = '$';
const DIGITS = '0123456789';
/** Symbols of a term that narrow a look-up: two for the power, two digits. */
const COARSE = 4;

/** The key of an amount that is not negative. */
export function toAmountKey(amount: number): string {
  const [mantissa = '', power = '0'] = amount.toExponential().split('e');
  if (amount === 0 || Number(power) < -POWER_MAX) return ZERO;
  if (!Number.isFinite(amount) || Number(power) > POWER_MAX) return BEYOND;
  return String(Number(power) + SHIFT).padStart(2, '0') + mantissa.replace('.', '');
}

/** The terms of an amount: every beginning of its key, and its end. At most twenty. */
export function listAmountTerms(amount: number): string[] {
  const key = toAmountKey(amount);
  return [...Array.from(key, (_, at) => key.slice(0, at + 1)), key + END];
}

/** Terms of which an amount in the range, both ends included, has one and every other has none. */
export function listCoveringTerms(least: number, most: number): string[] {
  const [low, high] = [toAmountKey(least), toAmountKey(most)];
  if (low > high) return [];
  let shared = 0;
  while (shared < low.length && low[shared] === high[shared]) shared += 1;
  if (shared === high.length) return [high + END];
  if (shared === low.length) return listBelow(high, shared);
  const [above, below] = [low.charAt(shared), high.charAt(shared)];
  return [
    ...listSiblings(high, shared, (digit) => above < digit && digit < below),
    ...listAbove(low, shared + 1),
    ...listBelow(high, shared + 1),
  ];
}

/** Beginnings of the terms, short enough to look up few: what they find is a superset. */
export function toCoarseTerms(terms: readonly string[]): string[] {
  return [...new Set(terms.map((term) => term.slice(0, COARSE)))];
}

/** The key and all above it, of those that share its first symbols. */
function listAbove(key: string, from: number): string[] {
  const terms = [key];
  for (let at = from; at < key.length; at++)
    terms.push(...listSiblings(key, at, (digit) => digit > key.charAt(at)));
  return terms;
}

/** The key and all below it, of those that share its first symbols. */
function listBelow(key: string, from: number): string[] {
  const terms = [key + END];
  for (let at = from; at < key.length; at++)
    terms.push(key.slice(0, at) + END, ...listSiblings(key, at, (digit) => digit < key.charAt(at)));
  return terms;
}

function listSiblings(key: string, at: number, isWanted: (digit: string) => boolean): string[] {
  return [...DIGITS].filter(isWanted).map((digit) => key.slice(0, at) + digit);
}
