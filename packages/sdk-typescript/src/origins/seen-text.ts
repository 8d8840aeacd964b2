// A text in which values are looked for: whole words, numbers by what they are worth, short values where they are marked.
import { foldValue } from '@assay/policy/atoms';
import type { Steps } from './steps.ts';

/** A value that is looked for. */
export interface Wanted {
  /** Folded. */
  text: string;
  /** What is looked for of a long text before the rest is compared. */
  head: string;
  /** Heads that it is long. */
  parts: number;
  /** As numbers are compared; null: it is none. */
  number: string | null;
  /** Whether it is compared as a text: a number of JSON is not. */
  isText: boolean;
  /** Whether it is so short that it occurs by chance. */
  isShort: boolean;
  /** Whether it looks like an address, a host, a link or an account: a part of a longer one is another one. */
  isToken: boolean;
}

const SHORT = 3;
/** Some engines search for longer texts in more than linear time. */
const HEAD = 100;
/** Digits before the fraction of what is compared as a number, and in it. */
const DIGITS_MAX = 40;
const PLACES = 6;
const WORD = '[\\p{L}\\p{N}_]';
const DIGITS = '[0-9]+(?:[.,][0-9]+)*';
const NUMBER = new RegExp(`^([-+−]?)(${DIGITS})$`);
const NUMBERS = new RegExp(
  `(?:(?<!${WORD})([-−]))?(?<!${WORD})(?<!\\.)(${DIGITS})(?!${WORD})`,
  'gu',
);
const WORD_BEFORE = new RegExp(`${WORD}$`, 'u');
const WORD_AFTER = new RegExp(`^${WORD}`, 'u');
const NO_WORD = new RegExp(`[^${WORD.slice(1)}`, 'gu');
/** With an at sign or a scheme, with dots between words, with eight digits, or with letters and four. */
const TOKEN =
  /^(?:[^ ]*(?:@|:\/\/)[^ ]*|[\p{L}\p{N}_+-]+(?:\.[\p{L}\p{N}_-]+)+(?:[:/?#][^ ]*)?|(?=(?:[^0-9]*[0-9]){8}|(?=[^\p{L}]*\p{L})(?:[^0-9]*[0-9]){4})[\p{L}\p{N}_+-]+)$/u;
const ACCOUNT = /^[0-9]{8,}$/;
/** A token goes on over these characters: up to eight, so that what has more goes on as well. */
const JOINED_BEFORE = new RegExp(`(?:${WORD}[.+@&%'-]{0,8}|[.+@&%'-]{9})$`, 'u');
const JOINED_AFTER = new RegExp(`^(?:[.+@:/?#&=%~-]{0,8}${WORD}|[.+@:/?#&=%~-]{9})`, 'u');
const JOINED = 10;
/** What announces a short value, and where it may stand: all that is searched for one. */
const MARKS = `(?<!${WORD})(?:id|no)|number|#|['"\`](?=[^\\n]{1,${SHORT}}['"\`])`;
const MARKED = new RegExp(`(?:(?:${MARKS})(?:(?!${MARKS}).){0,12})+`, 'gsu');
/** Stands between texts, and in none that is folded. */
const END = '\n';

export function toWanted(value: string | number): Wanted {
  const text = foldValue(String(value));
  const number = readNumber(text);
  const characters = [...text];
  return {
    text,
    head: characters.slice(0, HEAD).join(''),
    parts: Math.ceil(characters.length / HEAD),
    number,
    isText: typeof value === 'string' || number === null,
    isShort: characters.length <= SHORT,
    isToken: (number === null ? TOKEN : ACCOUNT).test(text),
  };
}

/** A text that is searched, and its characters. */
interface Searched {
  text: string;
  size: number;
}

/** What texts are made ready for when they are first looked into. */
interface Prepared extends Searched {
  texts: ReadonlySet<string>;
  marked: Searched;
  numbers: { whole: ReadonlySet<string>; all: ReadonlySet<string> };
}

/** Texts that stand at the same place. */
export class SeenText {
  #texts: string[] = [];
  #prepared: Prepared | undefined;

  /** @param text folded */
  add(text: string): void {
    this.#texts.push(text);
    this.#prepared = undefined;
  }

  /** Whether the value is one of the texts (`#`), or occurs in one (`~`); null: neither, or no steps are left. */
  relate(wanted: Wanted, steps: Steps): '#' | '~' | null {
    const { text, number, isText, isShort } = wanted;
    const { texts, numbers } = this.#prepare();
    if (!steps.take(1)) return null;
    if (isText && texts.has(text)) return '#';
    if (number !== null && numbers.whole.has(number)) return '#';
    if (isShort) return this.#isMarked(text, steps) ? '~' : null;
    if (isText && this.#hasWords(wanted, steps)) return '~';
    return this.holdsNumber(wanted) ? '~' : null;
  }

  /** Whether a short value is marked in a text, or another one occurs in it: by chance it equals none. */
  holds(wanted: Wanted, steps: Steps): boolean {
    if (wanted.isShort) return steps.take(1) && this.#isMarked(wanted.text, steps);
    // A part of an account is a number as well.
    if (wanted.isToken) return steps.take(1) && this.#hasWords(wanted, steps);
    return this.relate(wanted, steps) !== null;
  }

  /** Whether a number of the texts is worth as much. */
  holdsNumber({ number }: Wanted): boolean {
    return number !== null && this.#prepare().numbers.all.has(number);
  }

  #prepare(): Prepared {
    return (this.#prepared ??= prepareTexts(this.#texts));
  }

  #isMarked(value: string, steps: Steps): boolean {
    const { text, size } = this.#prepare().marked;
    return steps.search(size) && text.includes(value) && isMarked(text, value);
  }

  #hasWords(wanted: Wanted, steps: Steps): boolean {
    const { text, size } = this.#prepare();
    return steps.search(size) && hasWords(text, wanted, steps);
  }
}

function prepareTexts(texts: readonly string[]): Prepared {
  const text = END + texts.map((each) => each + END).join('');
  const marked = Array.from(text.matchAll(MARKED), ([found]) => found).join(END);
  return {
    text,
    size: countCharacters(text),
    texts: new Set(texts),
    marked: { text: marked, size: countCharacters(marked) },
    numbers: {
      whole: new Set(texts.flatMap((each) => readNumber(each) ?? [])),
      all: new Set(listNumbers(text)),
    },
  };
}

/** As Python counts them. */
const countCharacters = (text: string): number =>
  text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);

/** Whether a text holds these words, and the value does not go on before or after them. */
function hasWords(text: string, wanted: Wanted, steps: Steps): boolean {
  const { text: words, head, parts } = wanted;
  const beginsWord = WORD_AFTER.test(words);
  for (let at = text.indexOf(head); at >= 0;) {
    if (!steps.look(parts)) return false;
    if (text.startsWith(words, at) && isWhole(text, at, wanted)) return true;
    // What begins with a word begins where one does.
    const next = beginsWord ? findWordEnd(text, at) : at;
    at = next < 0 ? -1 : text.indexOf(head, next + 1);
  }
  return false;
}

function isWhole(text: string, at: number, { text: words, isToken }: Wanted): boolean {
  const end = at + words.length;
  const before = text.slice(Math.max(0, at - JOINED), at);
  const after = text.slice(end, end + JOINED);
  return isToken
    ? !JOINED_BEFORE.test(before) && !JOINED_AFTER.test(after)
    : !WORD_BEFORE.test(before) && !WORD_AFTER.test(after);
}

function findWordEnd(text: string, from: number): number {
  NO_WORD.lastIndex = from;
  return NO_WORD.exec(text)?.index ?? -1;
}

/** Whether a short value stands in quotes, or after a word that announces a name or a number. */
function isMarked(text: string, value: string): boolean {
  const literal = value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const mark = `(?:(?<!${WORD})(?:id|no\\.?)|number|#)[^\\p{L}\\p{N}_\\n]{0,3}`;
  return new RegExp(`${mark}${literal}(?!${WORD})|['"\`]${literal}['"\`]`, 'u').test(text);
}

/** The numbers of a text; one with a sign counts without it as well. */
function* listNumbers(text: string): Generator<string> {
  for (const [, sign, digits] of text.matchAll(NUMBERS)) {
    const number = writeNumber('', digits!);
    if (number === null) continue;
    yield number;
    if (sign !== undefined) yield writeNumber(sign, digits!)!;
  }
}

/** What a text is worth that is a number; null: it is none. */
function readNumber(text: string): string | null {
  const [, sign, digits] = NUMBER.exec(text) ?? [];
  return digits === undefined ? null : writeNumber(sign!, digits);
}

/** A number in one spelling, rounded, so that equal numbers are equal texts. */
function writeNumber(sign: string, digits: string): string | null {
  let [whole = '', fraction = '', ...rest] = digits.replaceAll(',', '').split('.');
  if (rest.length > 0 || whole.length > DIGITS_MAX) return null;
  if (fraction.length > PLACES) {
    const scaled = (BigInt(whole + fraction.slice(0, PLACES + 1)) + 5n) / 10n;
    const rounded = String(scaled).padStart(PLACES + 1, '0');
    [whole, fraction] = [rounded.slice(0, -PLACES), rounded.slice(-PLACES)];
  }
  const number = `${whole.replace(/^0+/, '')}.${fraction.replace(/0+$/, '')}`;
  return number !== '.' && (sign === '-' || sign === '−') ? `-${number}` : number;
}
