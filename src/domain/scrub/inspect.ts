// One cheap pass over a text that tells which detectors could find anything in it.
import { escapeAt, foldCodePoint } from './fold.ts';

/** What a look has seen, as bits. Digits are close when at most two of ` -./()+` stand between one and the next. */
export const textFeatures = {
  /** A character or escape that folding would change. */
  foldable: 1,
  /** `@`, or `%` as in `%40`. */
  at: 2,
  /** Four close digits. */
  digits4: 4,
  /** Eight close digits that are not one date such as 2024-05-24. */
  digits8: 8,
  /** Thirteen close digits. */
  digits13: 16,
  /** A word that begins with two letters and two digits. */
  ibanHead: 32,
  /** A word (letters and digits side by side) of eight or more, four or more of them digits, not all. */
  mixed: 64,
  /** A run of eight or more visible ASCII characters without quotes, commas and semicolons, with a letter and a digit among them. */
  token: 128,
  /** What could be an internet address: three dots between digits, two colons side by side, or seven between hexadecimal digits. */
  address: 256,
  /** Five hyphens side by side. */
  rule: 512,
} as const;

/** The needs of a rule that is always worth asking. */
export const anything = ~0;

const DIGIT = 1;
const LETTER = 2;
const CLOSE = 4;
const VISIBLE = 8;
const SPECIAL = 16;
const kinds = Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)));

function kindOf(character: string): number {
  const visible = /[!-~]/.test(character) && !/["',;]/.test(character) ? VISIBLE : 0;
  if (/\d/.test(character)) return DIGIT | visible;
  if (/[A-Za-z]/.test(character)) return LETTER | visible;
  return (
    visible |
    (/[ \-./()+]/.test(character) ? CLOSE : 0) |
    (/[@%.:\\-]/.test(character) ? SPECIAL : 0)
  );
}

/** True for a date as in 2024-05-24 or 2024/05/24, which is neither a telephone nor an id number. */
export function isDate(text: string): boolean {
  return /^\d{4}([-/.])\d\d\1\d\d$/.test(text);
}

/** Every bit of `seen` takes one of these. */
const worthALook = /[\d@%\\\x80-\uffff]|-----/;

/** Looks at every character once and returns the bits of `seen`. */
export function inspect(text: string): number {
  return worthALook.test(text) ? lookAtEach(`${text} `) : 0;
}

/** Looks at a text that ends with a blank, so that its last word ends too. */
function lookAtEach(text: string): number {
  let mask = 0;
  let close = 0; // close digits so far
  let closeEnd = 0; // where the last of them ends
  let word = 0; // where the present word begins
  let wordDigits = 0;
  let run = 0; // where the present run of visible characters begins
  let runKinds = 0;
  for (let at = 0; at < text.length; at++) {
    const is = kindAt(text, at);
    runKinds |= is;
    if ((is & DIGIT) !== 0) {
      if (!areClose(text, closeEnd, at)) {
        mask |= digitBits(text, close, closeEnd);
        close = 0;
      }
      close++;
      closeEnd = at + 1;
      wordDigits++;
      if (wordDigits === 2 && at - word === 3 && (kindAt(text, at - 1) & DIGIT) !== 0)
        mask |= textFeatures.ibanHead;
    } else if ((is & LETTER) === 0) {
      if (wordDigits >= 4 && wordDigits < at - word && at - word >= 8) mask |= textFeatures.mixed;
      word = at + 1;
      wordDigits = 0;
      if ((is & SPECIAL) !== 0) mask |= specialBits(text, at);
      if ((is & VISIBLE) === 0) {
        if (at - run >= 8 && (runKinds & (DIGIT | LETTER)) === (DIGIT | LETTER))
          mask |= textFeatures.token;
        run = at + 1;
        runKinds = 0;
      }
    }
  }
  return mask | digitBits(text, close, closeEnd);
}

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? (kinds[code] ?? 0) : SPECIAL;
}

/** True when nothing stands from `end` up to `at` but at most two characters that may part digits. */
function areClose(text: string, end: number, at: number): boolean {
  if (at - end > 2) return false;
  for (let between = end; between < at; between++)
    if ((kindAt(text, between) & CLOSE) === 0) return false;
  return true;
}

/** The bits of a run of close digits that ends at `end`. */
function digitBits(text: string, digits: number, end: number): number {
  if (digits < 4) return 0;
  if (digits < 8 || (digits === 8 && isDate(text.slice(end - 10, end))))
    return textFeatures.digits4;
  return digits < 13
    ? textFeatures.digits4 | textFeatures.digits8
    : textFeatures.digits4 | textFeatures.digits8 | textFeatures.digits13;
}

const version4Tail = /(?:\.\d{1,3}){3}/y;
const version6Tail = /::|(?::[0-9a-f]{1,4}){7}/iy;

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** The bits of one of `@ % . : - \`, or of a character beyond ASCII, by what stands around it. */
function specialBits(text: string, at: number): number {
  switch (text[at]) {
    case '@':
    case '%':
      return textFeatures.at;
    case '\\':
      return text[at - 1] === '\\' || (escapeAt(text, at) === null && text[at + 1] !== '\\')
        ? 0
        : textFeatures.foldable;
    case '.':
      return (kindAt(text, at + 1) & DIGIT) !== 0 && matchesAt(version4Tail, text, at)
        ? textFeatures.address
        : 0;
    case ':':
      return (kindAt(text, at + 1) & VISIBLE) !== 0 && matchesAt(version6Tail, text, at)
        ? textFeatures.address
        : 0;
    case '-':
      return text.startsWith('-----', at) ? textFeatures.rule : 0;
    default:
      return isFolded(text.codePointAt(at) ?? 0) ? 0 : textFeatures.foldable;
  }
}

function isFolded(codePoint: number): boolean {
  return foldCodePoint(codePoint) === codePoint;
}
