// Finds amounts of money in the arguments of an action by the names of their members and by currencies.
import { atOnce, type Parts } from '../../others-turn.ts';
import type { Json, JsonObject } from '../../record/json.ts';
import { meaningOf, type MoneyLevel, type NameMeaning, type Scale } from './amount-names.ts';
import { readAmount } from './amount-text.ts';
import { type Bounds, UNREADABLE } from './bounds.ts';
import { currencyNamed, decimalsOf, holdsCurrency } from './currencies.ts';
import { exactSum } from './exact-sum.ts';

/** Values read before the event loop runs: some milliseconds. */
const AT_ONCE = 250;

/** What the names above a value say about it. */
interface Place {
  level: MoneyLevel | null;
  scale: Scale;
  currency: string | null;
  /** Powers of ten by which the amount may be less or more than the written number. */
  spread: readonly [less: number, more: number];
}

const nowhere: Place = { level: null, scale: 0, currency: null, spread: [0, 0] };

/** `amountsInParts` in one go. */
export function amountsIn(value: Json): Bounds[] {
  return atOnce(amountsInParts(value));
}

/** The absolute amounts in a value, without conversion of currencies; an amount that cannot be read is UNREADABLE. */
export function* amountsInParts(value: Json): Parts<Bounds[]> {
  const amounts: Bounds[] = [];
  const meanings = new Map<string, NameMeaning>();
  const open: [Json, Place][] = [[value, nowhere]];
  for (let count = 1; open.length > 0; count++) {
    const [node, place] = open.pop()!;
    if (Array.isArray(node)) for (const item of node) open.push([item, place]);
    else if (node !== null && typeof node === 'object')
      openObject(node, { place, meanings, open, amounts });
    else amounts.push(...amountAt(node, place));
    if (count % AT_ONCE === 0) yield;
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
    const meaning = walk.meanings.get(name) ?? meaningOf(name);
    walk.meanings.set(name, meaning);
    return { name, value: node[name] as Json, meaning };
  });
  const place = placeOf(members, walk.place);
  const money = moneyOfParts(members, place);
  if (money !== null) walk.amounts.push(money);
  const own: Bounds[] = [];
  for (const { name, value, meaning } of members) {
    if (meaning.role === 'shown') continue;
    if (money !== null && isUnitsOrNanos(name)) continue;
    const inner = placeBelow(place, meaning, value);
    if (value !== null && typeof value === 'object') walk.open.push([value, inner]);
    else own.push(...amountAt(value, inner));
  }
  walk.amounts.push(...own, ...shownBeside(members, { place, own }));
}

/** The place of an object's members: an object with a currency is about money, whatever its name. */
function placeOf(members: readonly Member[], outer: Place): Place {
  const named = members.map(currencyOf).find((found) => found !== undefined);
  const currency = named ?? outer.currency;
  const level = outer.level ?? (named === undefined ? null : 'event');
  return level === null
    ? { ...nowhere, currency }
    : { ...outer, level, currency, spread: spreadOf(members) };
}

/** XML parsers put the attributes of an element into an object with such a name. */
const attributes = /^(?:\$|@|_?attr(?:ibute)?s?)$/;

function currencyOf({ name, value, meaning }: Member): string | undefined {
  if (typeof value === 'string' && value.length < 20) {
    if (meaning.role === 'currency') return currencyNamed(value) ?? value;
    return /unit$/i.test(name) ? currencyNamed(value) : undefined;
  }
  const mayHold = meaning.role === 'currency' || attributes.test(name);
  if (!mayHold || value === null || typeof value !== 'object') return undefined;
  if (meaning.role === 'currency')
    return Object.values(value)
      .filter((inner) => typeof inner === 'string')
      .map(currencyNamed)
      .find((found) => found !== undefined);
  return Object.entries(value)
    .map(([inner, text]) =>
      currencyOf({ name: inner, value: text as Json, meaning: meaningOf(inner) }),
    )
    .find((found) => found !== undefined);
}

/** `{ value: 820, scale: 2 }` is 8.20, or 820 with two decimals: both are possible. */
function spreadOf(members: readonly Member[]): Place['spread'] {
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
function moneyOfParts(members: readonly Member[], place: Place): Bounds | null {
  const units = members.find(({ name }) => name === 'units');
  const nanos = members.find(({ name }) => name === 'nanos');
  if (place.level === null || units === undefined || typeof nanos?.value !== 'number') return null;
  const [whole = UNREADABLE] = amountAt(units.value, { ...place, level: 'amount' });
  const rest = scaled(Math.abs(nanos.value), -9);
  return {
    atLeast: exactSum([whole.atLeast, rest]),
    atMost: Number.isFinite(whole.atMost) ? exactSum([whole.atMost, rest]) : Infinity,
  };
}

/** A `formatted` text usually repeats the amount of its object; a different amount counts too. */
function shownBeside(
  members: readonly Member[],
  { place, own }: { place: Place; own: readonly Bounds[] },
): Bounds[] {
  return members
    .filter(({ meaning }) => meaning.role === 'shown')
    .flatMap(({ value }) => amountAt(value, { ...place, scale: 0 }))
    .filter((shown) => !own.some(({ atLeast, atMost }) => overlaps(shown, { atLeast, atMost })));
}

function overlaps(one: Bounds, other: Bounds): boolean {
  return one.atLeast <= other.atMost && other.atLeast <= one.atMost;
}

function placeBelow(place: Place, meaning: NameMeaning, value: Json): Place {
  const currency = meaning.currency ?? place.currency;
  const scale = meaning.scale === 0 ? place.scale : meaning.scale;
  const isContainer = value !== null && typeof value === 'object';
  switch (meaning.role) {
    case 'money':
      return {
        level: strongest(meaning.level, place.level),
        scale,
        currency,
        spread: place.spread,
      };
    case 'value':
      return place.level === null
        ? { ...nowhere, currency }
        : { ...place, level: place.level === 'event' ? 'price' : place.level, scale, currency };
    case 'plain':
      if (isContainer) return { ...place, currency };
      return place.level === 'amount' || place.level === 'price'
        ? { ...place, level: 'event', scale, currency }
        : { ...nowhere, currency };
    default:
      return { ...nowhere, currency };
  }
}

function strongest(one: MoneyLevel | null, other: MoneyLevel | null): MoneyLevel | null {
  return (
    (['amount', 'price', 'event'] as const).find((level) => level === one || level === other) ??
    null
  );
}

/** The amount of a value as a list of one; empty when it is none. */
function amountAt(value: Json, place: Place): Bounds[] {
  if (typeof value === 'number')
    return place.level === null
      ? []
      : [inUnits({ atLeast: Math.abs(value), atMost: Math.abs(value) }, place)];
  if (typeof value !== 'string') return [];
  if (place.level === null) return nameless(value);
  const read = readAmount(value, place.currency);
  if (read !== null) return [inUnits(read, place)];
  return mustBeAmount(value, place.level) ? [UNREADABLE] : [];
}

/** A text with an amount and a currency counts, whatever the name of its member. */
function nameless(text: string): Bounds[] {
  if (text.length > 40 || !/\p{Nd}/u.test(text) || !holdsCurrency(text)) return [];
  const read = readAmount(text);
  return read === null ? [] : [read];
}

const nothing = /^(?:none|null|nil|n\/?a|no|free|waived|false|true|-*)$/i;
const numberWord =
  /\b(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|lakh|crore)/i;
const startsAsNumber = /^(?:[^\p{L}\p{N}]|\p{L}{1,3}[.$ ])*[\p{Nd}\p{Sc}]/u;
const date = /^\d{4}-\d\d-\d\d(?:$|T)/;

/** Whether an unreadable text still stands for an amount. */
function mustBeAmount(text: string, level: MoneyLevel): boolean {
  const trimmed = text.trim();
  if (nothing.test(trimmed) || currencyNamed(trimmed) !== undefined) return false;
  if (level === 'amount' || numberWord.test(trimmed)) return true;
  if (level === 'price') return /[\p{N}\p{Sc}]/u.test(trimmed);
  return startsAsNumber.test(trimmed.slice(0, 100)) && !date.test(trimmed);
}

/** Converts bounds to whole units of the currency. */
function inUnits(
  { atLeast, atMost }: Bounds,
  { scale, currency, spread: [less, more] }: Place,
): Bounds {
  const [least, most] = scale === 'minor' ? minorPowers(currency) : [scale, scale];
  return { atLeast: scaled(atLeast, least + less), atMost: scaled(atMost, most + more) };
}

/** An unknown currency may have any smallest unit from a ten-thousandth to the whole. */
function minorPowers(currency: string | null): readonly [least: number, most: number] {
  const decimals = decimalsOf(currency);
  return decimals === null ? [-4, 0] : [-decimals, -decimals];
}

/** Multiplies by a power of ten, exactly in decimals. */
function scaled(value: number, power: number): number {
  if (power === 0 || !Number.isFinite(value)) return value;
  const [digits, exponent = '0'] = String(value).split('e');
  return Number(`${digits}e${Number(exponent) + power}`);
}
