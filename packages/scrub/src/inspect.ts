// Inspects a text for features that rules need, so that few run: 11 us a decision, 27 with a pattern (row ingest/R1).
import { readEscape, foldCodePoint } from './fold.ts';

/** Features of a text, as bits. Digits are close when at most two of ` -./()+` separate one from the next. */
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
  /** A word that starts with two letters and two digits. */
  ibanHead: 32,
  /** A word (adjacent letters and digits) of eight or more characters, at least four but not all of them digits. */
  mixed: 64,
  /**
   * Eight or more adjacent visible ASCII characters except quotes, commas and semicolons, with a letter and a digit.
   */
  token: 128,
  /** A possible IP address: three dots between digits, two adjacent colons, or seven between hexadecimal digits. */
  address: 256,
  /** Five adjacent hyphens. */
  rule: 512,
} as const;

const DIGIT = 1;
const LETTER = 2;
const CLOSE = 4;
const VISIBLE = 8;
const SPECIAL = 16;
const kinds = Uint8Array.from({ length: 128 }, (_, code) => computeKind(String.fromCharCode(code)));

function computeKind(character: string): number {
  const visible = /[!-~]/.test(character) && !/["',;]/.test(character) ? VISIBLE : 0;
  if (/\d/.test(character)) return DIGIT | visible;
  if (/[A-Za-z]/.test(character)) return LETTER | visible;
  return (
    visible |
    (/[ \-./()+]/.test(character) ? CLOSE : 0) |
    (/[@%.:\\-]/.test(character) ? SPECIAL : 0)
  );
}

/** Whether a text is a date such as 2024-05-24 or 2024/05/24, which is neither a phone number nor an id number. */
export function isDate(text: string): boolean {
  return /^\d{4}([-/.])\d\d\1\d\d$/.test(text);
}

/** Every feature requires one of these: 10 us a decision, 17 without (row ingest/R1). */
const candidate = /[\d@%\\\x80-\uffff]|-----/;

/** Whether a text has any character that personal data needs; one without is not inspected further. */
export function mayBePersonal(text: string): boolean {
  return candidate.test(text);
}

/** The features of a text, as bits of `textFeatures`. */
export function inspectText(text: string): number {
  return new Inspection(text).findFeatures();
}

class Inspection {
  readonly #text: string;
  #features = 0;
  /** The number of close digits so far, and the end of the last one. */
  #digits = 0;
  #digitsEnd = 0;
  #wordStart = 0;
  #wordDigits = 0;
  /** The current run of visible characters. */
  #runStart = 0;
  #runKinds = 0;

  constructor(text: string) {
    // The space ends the last word.
    this.#text = `${text} `;
  }

  findFeatures(): number {
    const { length } = this.#text;
    for (let at = 0; at < length; at++) {
      const kind = getKind(this.#text, at);
      this.#runKinds |= kind;
      if ((kind & DIGIT) !== 0) this.#digit(at);
      else if ((kind & LETTER) === 0) this.#separator(at, kind);
    }
    return this.#features | getDigitFeatures(this.#text, this.#digits, this.#digitsEnd);
  }

  #digit(at: number): void {
    if (!isClose(this.#text, this.#digitsEnd, at)) {
      this.#features |= getDigitFeatures(this.#text, this.#digits, this.#digitsEnd);
      this.#digits = 0;
    }
    this.#digits++;
    this.#digitsEnd = at + 1;
    this.#wordDigits++;
    const isFourth = this.#wordDigits === 2 && at - this.#wordStart === 3;
    if (isFourth && (getKind(this.#text, at - 1) & DIGIT) !== 0)
      this.#features |= textFeatures.ibanHead;
  }

  #separator(at: number, kind: number): void {
    const length = at - this.#wordStart;
    if (this.#wordDigits >= 4 && this.#wordDigits < length && length >= 8)
      this.#features |= textFeatures.mixed;
    this.#wordStart = at + 1;
    this.#wordDigits = 0;
    if ((kind & SPECIAL) !== 0) this.#features |= getSpecialFeature(this.#text, at);
    if ((kind & VISIBLE) === 0) this.#endRun(at);
  }

  #endRun(at: number): void {
    const isToken = (this.#runKinds & (DIGIT | LETTER)) === (DIGIT | LETTER);
    if (isToken && at - this.#runStart >= 8) this.#features |= textFeatures.token;
    this.#runStart = at + 1;
    this.#runKinds = 0;
  }
}

function getKind(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? (kinds[code] ?? 0) : SPECIAL;
}

/** Whether only separators of digits, at most two, are between `end` and `at`. */
function isClose(text: string, end: number, at: number): boolean {
  if (at - end > 2) return false;
  for (let between = end; between < at; between++)
    if ((getKind(text, between) & CLOSE) === 0) return false;
  return true;
}

/** The features of a run of close digits that ends at `end`. */
function getDigitFeatures(text: string, digits: number, end: number): number {
  if (digits < 4) return 0;
  if (digits < 8 || (digits === 8 && isDate(text.slice(end - 10, end))))
    return textFeatures.digits4;
  return digits < 13
    ? textFeatures.digits4 | textFeatures.digits8
    : textFeatures.digits4 | textFeatures.digits8 | textFeatures.digits13;
}

const version4Tail = /(?:\.\d{1,3}){3}/y;
const version6Tail = /::|(?::[0-9a-f]{1,4}){7}/iy;

function hasMatch(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** The feature of one of `@ % . : - \`, or of a character beyond ASCII, by its context. */
function getSpecialFeature(text: string, at: number): number {
  switch (text[at]) {
    case '@':
    case '%':
      return textFeatures.at;
    case '\\':
      return text[at - 1] === '\\' || (readEscape(text, at) === null && text[at + 1] !== '\\')
        ? 0
        : textFeatures.foldable;
    case '.':
      return (getKind(text, at + 1) & DIGIT) !== 0 && hasMatch(version4Tail, text, at)
        ? textFeatures.address
        : 0;
    case ':':
      return (getKind(text, at + 1) & VISIBLE) !== 0 && hasMatch(version6Tail, text, at)
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
