// Parses amounts of money as many countries write them: `$1,200.50`, `82.000,50 €`, `CHF 82’000.–`, `₹ 8,20,000`.
import { type Bounds } from './bounds.ts';
import { findCurrency, getCurrencyDecimals } from './currencies.ts';

/** Longer texts are no amounts. */
const LONGEST = 80;

/** The power of ten of each word; a range where languages disagree. */
const magnitudes = new Map<string, readonly [least: number, most: number]>(
  Object.entries({
    3: 'k thousand thousands tsd tausend grand mille mila тыс 千 천 t',
    4: '万 萬 만',
    5: 'lakh lakhs lac lacs l',
    6: 'm mm mn mio mln million millions millionen millones milioni milhões млн',
    7: 'crore crores',
    8: '億 亿 억',
    9: 'bn b mrd milliarde milliarden milliard milliards млрд',
  }).flatMap(([power, words]) =>
    words.split(' ').map((word) => [word, [Number(power), Number(power)]] as const),
  ),
);
magnitudes.set('mil', [3, 6]);
magnitudes.set('cr', [0, 7]);
magnitudes.set('billion', [9, 12]);
magnitudes.set('billions', [9, 12]);

/** Captures the text before the numeral, the numeral, its exponent, and the text behind it. */
const parts = /^(\D*?)([.,٫]?\d[\d.,'_ ٫·]*)(?:e([+-]?\d{1,4}))?(\D*)$/iu;
/** Signs, brackets, and the dashes and strokes that stand for no decimals: `500,-`, `500/-`. */
const signs = /[+()-]|\/(?=[-=]?\s*$)|=\s*$/g;

/** The power of ten that a word stands for; undefined when it stands for none. */
export function findMagnitude(word: string): readonly [least: number, most: number] | undefined {
  return magnitudes.get(word.toLowerCase().replace(/\.$/, ''));
}

/** The absolute amount, or null when the text is not one. `currency` applies unless the text names its own. */
export function readAmount(text: string, currency: string | null = null): Bounds | null {
  if (text.length > LONGEST || /\p{No}|\p{Nl}/u.test(text)) return null;
  const written = splitAmount(normalizeCharacters(text));
  const units = written && parseUnits(written.around.replace(signs, ' '));
  if (written === null || units === null) return null;
  const { figures, isWhole, exponent } = written;
  const decimals = getCurrencyDecimals(units.currency ?? currency);
  const isScientific = exponent !== undefined;
  const read = readNumeral(figures, { decimals, isScientific, isWhole });
  if (read === null) return null;
  const [least, most] = units.power.map((power) => power + Number(exponent ?? 0));
  const bounds = {
    atLeast: Number(`${read.least}e${least}`),
    atMost: Number(`${read.most}e${most}`),
  };
  return Number.isFinite(bounds.atMost) ? bounds : null;
}

interface WrittenAmount {
  figures: string;
  exponent: string | undefined;
  /** Whether it ends like `82.000,-`, which settles its decimal separator. */
  isWhole: boolean;
  /** The text before and behind the numeral. */
  around: string;
}

function splitAmount(text: string): WrittenAmount | null {
  const [, before = '', numeral = '', exponent, after = ''] = parts.exec(text) ?? [];
  const isOfWord = /^[.,]/.test(numeral) && /[\p{L}\s]$/u.test(before);
  // The point in `Rs.82` ends the word; in `Rs .82` it is ambiguous.
  if (numeral === '' || (isOfWord && /\s$/.test(before))) return null;
  return {
    figures: (isOfWord ? numeral.slice(1) : numeral).replace(/[.,'_ ]+$/, ''),
    exponent,
    isWhole: /[.,]$/.test(numeral) && after.startsWith('-'),
    around: `${before} ${after}`,
  };
}

/** Unifies compatible characters (full-width, no-break), turns all digits into ASCII, and drops direction marks. */
function normalizeCharacters(text: string): string {
  return text
    .replace(/['’‘‛ʼ′`´＇٬]/gu, "'")
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s/gu, ' ')
    .replace(/[−‐‑‒–—―﹣]/gu, '-')
    .replaceAll('،', ',')
    .replace(/(?![0-9])\p{Nd}/gu, toAsciiDigit)
    .trim();
}

const isDigit = /^\p{Nd}$/u;

/** Unicode keeps the ten digits of a script together. */
function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  let value = 0;
  while (value < 9 && isDigit.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value);
}

interface Units {
  currency: string | null;
  power: readonly [least: number, most: number];
}

/** Null when a word is neither a currency nor a magnitude. */
function parseUnits(text: string): Units | null {
  const units: Units = { currency: null, power: [0, 0] };
  for (const word of text.split(' ').filter((piece) => piece !== '' && piece !== '.'))
    for (const unit of findCurrency(word) === undefined ? splitUnit(word) : [word]) {
      const power = findMagnitude(unit);
      const currency = power === undefined ? findCurrency(unit) : undefined;
      if (currency !== undefined) units.currency = currency;
      else if (power === undefined || units.power[1] !== 0) return null;
      else units.power = power;
    }
  return units;
}

const MAGNITUDE_AND_CURRENCY = /^([kmt]|mio\.?|mrd\.?|[万萬만億亿억千천])([a-z]{3}|\p{L})$/iu;

/** Splits `k€`, `TEUR` and `万円` into a magnitude and a currency. */
function splitUnit(word: string): string[] {
  const [, ...parts] = MAGNITUDE_AND_CURRENCY.exec(word) ?? [];
  if (findCurrency(parts.at(-1) ?? '') !== undefined) return parts;
  return word.split(/(\p{Sc})/u).filter((piece) => piece !== '');
}

/** The smallest and the largest reading, as texts of plain decimals. */
interface Reading {
  least: string;
  most: string;
}

interface NumeralContext {
  decimals: number | null;
  isScientific: boolean;
  isWhole: boolean;
}

function readNumeral(figures: string, around: NumeralContext): Reading | null {
  const pieces = figures.split(/([.,'_ ٫·])/);
  const groups = pieces.filter((_, at) => at % 2 === 0);
  const marks = pieces.filter((_, at) => at % 2 === 1);
  if (groups.some((group, at) => group === '' && at > 0)) return null;
  const [mark] = marks;
  if (mark === undefined) return toExactReading(figures);
  if (marks.length === 1 && /[.,٫·]/.test(mark)) return readPair(groups, mark, around);
  return readGroups(groups, marks);
}

/** Reads a number whose only mark may be the decimal separator. */
function readPair(groups: readonly string[], mark: string, around: NumeralContext): Reading {
  const [before = '', behind = ''] = groups;
  const point = toExactReading(`${before}.${behind}`);
  if (!mayBeGrouping(mark, before, behind) || around.isScientific) return point;
  const whole = before + behind;
  const isGrouping = behind.length === 3 && isGroupingMark(around, mark);
  return { least: isGrouping ? whole : point.least, most: whole };
}

/** Reads a number with several marks, or with one that can only separate thousands. */
function readGroups(groups: readonly string[], marks: readonly string[]): Reading | null {
  const last = marks.at(-1)!;
  const hasPoint = marks.indexOf(last) === marks.length - 1 && /[.,٫·]/.test(last);
  const grouping = hasPoint ? marks.slice(0, -1) : marks;
  const isUniform = grouping.every((mark) => mark === grouping[0] && !/[٫·]/.test(mark));
  const leading = hasPoint ? groups.slice(0, -1) : groups;
  if (!isUniform || !hasValidGroups(leading)) return null;
  return toExactReading(hasPoint ? `${leading.join('')}.${groups.at(-1)!}` : leading.join(''));
}

function toExactReading(text: string): Reading {
  return { least: text, most: text };
}

/** Whether one mark may separate thousands, as in `1.234` and `12,345`, but not in `0.234`, `1234.567` or `1.5`. */
function mayBeGrouping(mark: string, before: string, behind: string): boolean {
  if (mark !== '.' && mark !== ',') return false;
  if (before === '' || before.startsWith('0')) return false;
  return (before.length <= 3 && behind.length === 3) || (mark === ',' && behind.length > 3);
}

/**
 * Reads `1.234` as 1234 in a currency of two decimals or none; in one of three, or without a currency, it is ambiguous.
 * Without a currency a comma before three digits separates thousands, since bare numbers have a decimal point.
 */
function isGroupingMark({ decimals, isWhole }: NumeralContext, mark: string): boolean {
  return isWhole || (decimals === null ? mark === ',' : decimals < 3);
}

/** Whether digits are grouped in threes, or the Indian way: twos before the last three. */
function hasValidGroups(groups: readonly string[]): boolean {
  return /^\d{1,3}(?: \d{3})+$|^\d{1,2}(?: \d{2})* \d{3}$/.test(groups.join(' '));
}
