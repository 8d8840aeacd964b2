// Finds amounts of money in the arguments of an action by the names of their members and by currencies.
import type { Json, JsonObject } from '@assay/json';
import { readNameMeaning, type MoneyLevel, type NameMeaning, type Scale } from './amount-names.ts';
import { readAmount } from './amount-text.ts';
import { type Bounds, UNREADABLE } from './bounds.ts';
import { findCurrency, getCurrencyDecimals, hasCurrency } from './currencies.ts';
import { sumExactly } from './exact-sum.ts';

/** Facts about a value that follow from the names of the members it is in. */
interface Place {
  level: MoneyLevel | null;
  scale: Scale;
  currency: string | null;
  /** Powers of ten by which the amount may be less or more than the written number. */
  spread: readonly [less: number, more: number];
}

const NO_PLACE: Place = { level: null, scale: 0, currency: null, spread: [0, 0] };

/** The absolute amounts in a value, without conversion of currencies; an amount that cannot be read is UNREADABLE. */
export function findAmounts(value: Json): Bounds[] {
  const amounts: Bounds[] = [];
  const meanings = new Map<string, NameMeaning>();
  const open: [Json, Place][] = [[value, NO_PLACE]];
  while (open.length > 0) {
    const [node, place] = open.pop()!;
    if (Array.isArray(node)) for (const item of node) open.push([item, place]);
    else if (node !== null && typeof node === 'object')
      openObject(node, { place, meanings, open, amounts });
    else amounts.push(...readAmounts(node, place));
  }
  return amounts;
}

interface Walk {
  place: Place;
  meanings: Map<string, NameMeaning>;
  open: [Json, Place][];
  amounts: Bounds[];
}

interface Member {
  name: string;
  value: Json;
  meaning: NameMeaning;
}

/** Pushes the members of an object onto the `open` stack, each with its place; display texts are read last. */
function openObject(node: JsonObject, walk: Walk): void {
  const members = Object.keys(node).map((name): Member => {
    const meaning = walk.meanings.get(name) ?? readNameMeaning(name);
    walk.meanings.set(name, meaning);
    return { name, value: node[name] as Json, meaning };
  });
  const place = derivePlace(members, walk.place);
  const money = readUnitsAndNanos(members, place);
  if (money !== null) walk.amounts.push(money);
  const own: Bounds[] = [];
  for (const { name, value, meaning } of members) {
    if (meaning.role === 'shown') continue;
    if (money !== null && isUnitsOrNanos(name)) continue;
    const inner = deriveInnerPlace(place, meaning, value);
    if (value !== null && typeof value === 'object') walk.open.push([value, inner]);
    else own.push(...readAmounts(value, inner));
  }
  walk.amounts.push(...own, ...readShownAmounts(members, { place, own }));
}

/** The place of an object's members: an object with a currency is about money, whatever its name. */
function derivePlace(members: readonly Member[], outer: Place): Place {
  const named = members.map(findMemberCurrency).find((found) => found !== undefined);
  const currency = named ?? outer.currency;
  const level = outer.level ?? (named === undefined ? null : 'event');
  return level === null
    ? { ...NO_PLACE, currency }
    : { ...outer, level, currency, spread: deriveSpread(members) };
}

/** XML parsers put the attributes of an element into an object with such a name. */
const attributes = /^(?:\$|@|_?attr(?:ibute)?s?)$/;

function findMemberCurrency({ name, value, meaning }: Member): string | undefined {
  if (typeof value === 'string' && value.length < 20) {
    if (meaning.role === 'currency') return findCurrency(value) ?? value;
    return /unit$/i.test(name) ? findCurrency(value) : undefined;
  }
  const mayHold = meaning.role === 'currency' || attributes.test(name);
  if (!mayHold || value === null || typeof value !== 'object') return undefined;
  if (meaning.role === 'currency')
    return Object.values(value)
      .filter((inner) => typeof inner === 'string')
      .map(findCurrency)
      .find((found) => found !== undefined);
  return Object.entries(value)
    .map(([inner, text]) =>
      findMemberCurrency({ name: inner, value: text as Json, meaning: readNameMeaning(inner) }),
    )
    .find((found) => found !== undefined);
}

/** `{ value: 820, scale: 2 }` is 8.20, or 820 with two decimals: both are possible. */
function deriveSpread(members: readonly Member[]): Place['spread'] {
  const powers = members
    .filter(({ meaning, value }) => meaning.role === 'scale' && Number.isInteger(value))
    .map(({ name, value }) => ({
      power: value as number,
      isExponent: /exponent/i.test(name),
    }));
  const power = powers.reduce((most, one) => Math.max(most, Math.abs(one.power)), 0);
  const isMore = powers.some((one) => one.isExponent || one.power < 0);
  return [-power, isMore ? power : 0];
}

function isUnitsOrNanos(name: string): boolean {
  return name === 'units' || name === 'nanos';
}

/** The amount of `{ currencyCode, units, nanos }`: whole units and billionths. */
function readUnitsAndNanos(members: readonly Member[], place: Place): Bounds | null {
  const units = members.find(({ name }) => name === 'units');
  const nanos = members.find(({ name }) => name === 'nanos');
  if (place.level === null || units === undefined || typeof nanos?.value !== 'number') return null;
  const [whole = UNREADABLE] = readAmounts(units.value, place);
  const rest = shiftDecimalPoint(Math.abs(nanos.value), -9);
  return {
    atLeast: sumExactly([whole.atLeast, rest]),
    atMost: Number.isFinite(whole.atMost) ? sumExactly([whole.atMost, rest]) : Infinity,
  };
}

/** A `formatted` text usually repeats the amount of its object; a different amount counts too. */
function readShownAmounts(
  members: readonly Member[],
  { place, own }: { place: Place; own: readonly Bounds[] },
): Bounds[] {
  return members
    .filter(({ meaning }) => meaning.role === 'shown')
    .flatMap(({ value }) => readAmounts(value, { ...place, scale: 0 }))
    .filter((shown) => !own.some(({ atLeast, atMost }) => hasOverlap(shown, { atLeast, atMost })));
}

function hasOverlap(one: Bounds, other: Bounds): boolean {
  return one.atLeast <= other.atMost && other.atLeast <= one.atMost;
}

function deriveInnerPlace(place: Place, meaning: NameMeaning, value: Json): Place {
  const currency = meaning.currency ?? place.currency;
  const scale = meaning.scale === 0 ? place.scale : meaning.scale;
  const isContainer = value !== null && typeof value === 'object';
  switch (meaning.role) {
    case 'money':
      return {
        level: pickStrongerLevel(meaning.level, place.level),
        scale,
        currency,
        spread: place.spread,
      };
    case 'value':
      return place.level === null
        ? { ...NO_PLACE, currency }
        : { ...place, level: place.level === 'event' ? 'price' : place.level, scale, currency };
    case 'plain':
      if (isContainer) return { ...place, currency };
      return place.level === 'amount' || place.level === 'price'
        ? { ...place, level: 'event', scale, currency }
        : { ...NO_PLACE, currency };
    default:
      return { ...NO_PLACE, currency };
  }
}

function pickStrongerLevel(one: MoneyLevel | null, other: MoneyLevel | null): MoneyLevel | null {
  return (
    (['amount', 'price', 'event'] as const).find((level) => level === one || level === other) ??
    null
  );
}

/** The amount of a value as a list of one; empty when it is none. */
function readAmounts(value: Json, place: Place): Bounds[] {
  if (typeof value === 'number')
    return place.level === null
      ? []
      : [toWholeUnits({ atLeast: Math.abs(value), atMost: Math.abs(value) }, place)];
  if (typeof value !== 'string') return [];
  if (place.level === null) return readUnnamedAmount(value);
  const read = readAmount(value, place.currency);
  if (read !== null) return [toWholeUnits(read, place)];
  return mustBeAmount(value, place.level) ? [UNREADABLE] : [];
}

/** A text with an amount and a currency counts, whatever the name of its member. */
function readUnnamedAmount(text: string): Bounds[] {
  if (text.length > 40 || !/\p{Nd}/u.test(text) || !hasCurrency(text)) return [];
  const read = readAmount(text);
  return read === null ? [] : [read];
}

const nothing = /^(?:none|null|nil|n\/?a|no|free|waived|false|true|-*)$/i;
/** Also the code of a currency: an amount of `all` is a word, and no lek. */
const everything = /^all$/i;
const numberWord =
  /\b(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|lakh|crore)/i;
const startsAsNumber = /^(?:[^\p{L}\p{N}]|\p{L}{1,3}[.$ ])*[\p{Nd}\p{Sc}]/u;
const date = /^\d{4}-\d\d-\d\d(?:$|T)/;

/** Whether an unreadable text still stands for an amount. */
function mustBeAmount(text: string, level: MoneyLevel): boolean {
  const trimmed = text.trim();
  if (nothing.test(trimmed)) return false;
  if (findCurrency(trimmed) !== undefined && !everything.test(trimmed)) return false;
  if (level === 'amount' || numberWord.test(trimmed)) return true;
  if (level === 'price') return /[\p{N}\p{Sc}]/u.test(trimmed);
  return startsAsNumber.test(trimmed.slice(0, 100)) && !date.test(trimmed);
}

/** Converts bounds to whole units of the currency. */
function toWholeUnits(
  { atLeast, atMost }: Bounds,
  { scale, currency, spread: [less, more] }: Place,
): Bounds {
  const [least, most] = scale === 'minor' ? getMinorPowers(currency) : [scale, scale];
  return {
    atLeast: shiftDecimalPoint(atLeast, least + less),
    atMost: shiftDecimalPoint(atMost, most + more),
  };
}

/** An unknown currency may have any smallest unit from a ten-thousandth to the whole. */
function getMinorPowers(currency: string | null): readonly [least: number, most: number] {
  const decimals = getCurrencyDecimals(currency);
  return decimals === null ? [-4, 0] : [-decimals, -decimals];
}

/** Multiplies by a power of ten, exactly in decimals. */
function shiftDecimalPoint(value: number, power: number): number {
  if (power === 0 || !Number.isFinite(value)) return value;
  const [digits, exponent = '0'] = String(value).split('e');
  return Number(`${digits}e${Number(exponent) + power}`);
}
