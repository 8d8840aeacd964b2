// Folds disguised characters to the plain form that detectors read, and keeps the offsets in the original.

/** Invisible characters that can be hidden between two digits or letters. */
const invisible = /[\p{Cf}\p{Variation_Selector}\u034f\u115f\u1160\u3164\uffa0]/u;
const digit = /\p{Nd}/u;
const blank = /\p{Zs}/u;
/** Hyphens, the en dash and the minus sign; not the em dash, which separates sentences. */
const hyphen = /[\u2010-\u2013\u2212\ufe63\uff0d]/u;
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '/': '/',
  b: ' ',
  f: ' ',
  n: '\n',
  r: '\n',
  t: ' ',
};

/** Code points of one page of the cache. */
const PAGE = 256;

/**
 * A cache of folds plus one, 0 where none is cached, with pages for the scripts that occur. A decision in Chinese or
 * Russian takes 80 us, without it 330 (row ingest/R1).
 */
const foldPages = new Array<Int32Array | undefined>(0x110000 / PAGE);

/** A folded text and, for each of its units and its end, the offset in the original where that unit began. */
export interface Folded {
  text: string;
  origin: Uint32Array;
}

/** The code point that detectors read for this one; 0 for an invisible one; ASCII is unchanged. */
export function foldCodePoint(codePoint: number): number {
  const page = (foldPages[Math.floor(codePoint / PAGE)] ??= new Int32Array(PAGE));
  const cached = page[codePoint % PAGE] ?? 0;
  if (cached !== 0) return cached - 1;
  const folded = computeFold(codePoint);
  page[codePoint % PAGE] = folded + 1;
  return folded;
}

function computeFold(codePoint: number): number {
  if (codePoint < 0x80) return codePoint;
  const character = String.fromCodePoint(codePoint);
  if (invisible.test(character)) return 0;
  if (digit.test(character)) return 0x30 + computeDigitValue(codePoint);
  if (blank.test(character)) return 0x20;
  if (hyphen.test(character)) return 0x2d;
  const compatible = character.normalize('NFKC');
  return compatible.length === 1 && compatible < '\x7f' ? compatible.charCodeAt(0) : codePoint;
}

/** Unicode encodes the decimal digits of a script in consecutive runs of ten, from zero. */
function computeDigitValue(codePoint: number): number {
  let below = 0;
  while (digit.test(String.fromCodePoint(codePoint - below - 1))) below++;
  return below % 10;
}

/**
 * The length of the JSON escape that starts at this backslash, and its code point; null when there is no escape.
 * A run of backslashes counts as one, so that JSON nested in strings is read like the innermost.
 */
export function readEscape(text: string, at: number): { length: number; codePoint: number } | null {
  let end = at;
  while (text[end] === '\\') end++;
  const letter = text[end];
  if (letter === undefined) return null;
  if (letter === 'u') {
    const hex = text.slice(end + 1, end + 5);
    return /^[0-9a-fA-F]{4}$/.test(hex)
      ? { length: end + 5 - at, codePoint: foldCodePoint(parseInt(hex, 16)) }
      : null;
  }
  const character = escapes[letter];
  return character === undefined
    ? null
    : { length: end + 1 - at, codePoint: character.charCodeAt(0) };
}

/** Characters that are joined at a time: more would overflow the arguments of `String.fromCodePoint`. */
const STRIDE = 8_192;

/**
 * Folds a text: digits of any script and full-width characters to ASCII, spaces and hyphens to one kind, invisible
 * characters to nothing, JSON escapes to their characters.
 */
export function foldText(text: string): Folded {
  // Folding never makes a text longer, so the size suffices.
  const origin = new Uint32Array(text.length + 1);
  let folded = '';
  let filled = 0;
  for (let at = 0; at < text.length;) {
    const end = Math.min(at + STRIDE, text.length);
    const codePoints: number[] = [];
    while (at < end) {
      const { codePoint, length } = readUnit(text, at);
      if (codePoint !== 0) {
        codePoints.push(codePoint);
        origin[filled++] = at;
        if (codePoint > 0xffff) origin[filled++] = at;
      }
      at += length;
    }
    folded += String.fromCodePoint(...codePoints);
  }
  origin[filled] = text.length;
  return { text: folded, origin: origin.subarray(0, filled + 1) };
}

function readUnit(text: string, at: number): { length: number; codePoint: number } {
  const codePoint = text.codePointAt(at) ?? 0;
  if (codePoint === 0x5c) return readEscape(text, at) ?? readBackslashes(text, at);
  return { length: codePoint > 0xffff ? 2 : 1, codePoint: foldCodePoint(codePoint) };
}

/** Reads a run of backslashes without an escape, which counts as one. */
function readBackslashes(text: string, at: number): { length: number; codePoint: number } {
  let end = at;
  while (text[end] === '\\') end++;
  return { length: end - at, codePoint: 0x5c };
}
