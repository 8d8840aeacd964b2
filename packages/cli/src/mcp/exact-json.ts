// JSON whose numbers stay as they were written: what a double cannot hold goes into an action as text, and on as it came.
import { randomUUID } from 'node:crypto';
import { ActionChanged, Invalid } from '../../../sdk-typescript/src/errors.ts';
import {
  canonicalize,
  isObject,
  type Json,
  type JsonObject,
} from '../../../sdk-typescript/src/json.ts';

/** Begins the text that stands for a number in a message that was read; no one else knows it. */
const MARK = `number-${randomUUID()}:`;
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g');
const LITERAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Names of the protocol, which some parsers find in any case. */
const ENVELOPE = new Set(['jsonrpc', 'id', 'method', 'params']);
const CALL = new Set(['name', 'arguments']);

/** Reads a message. Numbers that JavaScript would write in another way are marked. @throws SyntaxError */
export function readExact(text: string): Json {
  const value = JSON.parse(text) as Json;
  const { numbers } = scan(text);
  if (numbers.length === 0) return value;
  let marked = '';
  let from = 0;
  for (const [start, end] of numbers) {
    marked += `${text.slice(from, start)}"${MARK}${text.slice(start, end)}"`;
    from = end;
  }
  return JSON.parse(marked + text.slice(from)) as Json;
}

/**
 * Reads a message that another program will read again, as it is.
 * @throws SyntaxError or Invalid where two parsers could read two messages
 */
export function readUnambiguous(text: string): Json {
  const value = readExact(text);
  if (countMembers(value) !== scan(text).members)
    throw new Invalid('A member stands twice in the message');
  if (!isObject(value)) return value;
  assertSpelled(value, ENVELOPE);
  if (isObject(value.params ?? null)) assertSpelled(value.params as JsonObject, CALL);
  return value;
}

/** Writes a value of `readExact`, every number as it was. */
export const writeExact = (value: Json): string => JSON.stringify(value).replace(MARKED, '$1');

export const isMarked = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith(MARK);

/** Returns the value as an action holds it: a number that no double is stands there as text. */
export function toPlain(value: Json): Json {
  if (isMarked(value)) {
    const literal = value.slice(MARK.length);
    return isExact(literal) ? Number(literal) : literal;
  }
  if (Array.isArray(value)) return value.map(toPlain);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toPlain(item)]));
}

/**
 * Gives arguments of an action their numbers back.
 * @throws ActionChanged where a reviewer's text stands in the place of such a number, and is none
 */
export function restoreExact(plain: Json, given: Json): Json {
  if (canonicalize(plain) === canonicalize(toPlain(given))) return given;
  if (isMarked(given)) return restoreNumber(plain, given.slice(MARK.length));
  if (Array.isArray(plain) && Array.isArray(given)) return restoreItems(plain, given);
  if (!isObject(plain) || !isObject(given)) return plain;
  const restored = Object.entries(plain).map(([name, item]) => [
    name,
    Object.hasOwn(given, name) ? restoreExact(item, given[name]!) : item,
  ]);
  return Object.fromEntries(restored) as JsonObject;
}

function restoreNumber(plain: Json, literal: string): Json {
  if (typeof plain !== 'string' || isExact(literal)) return plain;
  if (LITERAL.test(plain)) return `${MARK}${plain}`;
  throw new ActionChanged(`The reviewer put a text where the number ${literal} was`, {
    code: 'ACTION_CHANGED',
  });
}

/** An item is told by its place, or by what it is where the list has another length. */
function restoreItems(plain: readonly Json[], given: readonly Json[]): Json {
  if (plain.length === given.length) return plain.map((item, at) => restoreExact(item, given[at]!));
  const known = new Map(given.map((item) => [canonicalize(toPlain(item)), item]));
  const literals = [...JSON.stringify(given).matchAll(MARKED)].map(([, literal]) => literal!);
  const hasTexts = !literals.every(isExact);
  return plain.map((item) => {
    const found = known.get(canonicalize(item));
    if (found === undefined && hasTexts && JSON.stringify(item).includes('"'))
      throw new ActionChanged('The reviewer changed a list with numbers beyond 2^53', {
        code: 'ACTION_CHANGED',
      });
    return found ?? item;
  });
}

/** Finds the numbers that JavaScript writes in another way, and counts members, in a text of valid JSON. */
function scan(text: string): { numbers: [start: number, end: number][]; members: number } {
  const numbers: [number, number][] = [];
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = findTextEnd(text, at);
    else if (code === 0x3a) members += 1;
    else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      const start = at;
      while (/[\d.eE+-]/.test(text[at + 1] ?? '')) at += 1;
      const literal = text.slice(start, at + 1);
      if (String(Number(literal)) !== literal) numbers.push([start, at + 1]);
    }
  }
  return { numbers, members };
}

/** Returns the place of the closing quote. */
function findTextEnd(text: string, opening: number): number {
  let at = opening + 1;
  while (text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at;
}

function countMembers(value: Json): number {
  const open: Json[] = [value];
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const items = Object.values(next);
    if (!Array.isArray(next)) count += items.length;
    for (const item of items) open.push(item);
  }
  return count;
}

/** Some parsers take `Method` for `method`, and the long s for an s. */
function assertSpelled(value: JsonObject, names: ReadonlySet<string>): void {
  const strange = Object.keys(value).find((name) => {
    const folded = name.toUpperCase().toLowerCase();
    return folded !== name && names.has(folded);
  });
  if (strange !== undefined) throw new Invalid(`The member ${strange} is spelled in another way`);
}

/** Whether a double is the number. Integers count up to 2^53 - 1, as in every other client. */
function isExact(literal: string): boolean {
  const value = Number(literal);
  if (/^-?\d+$/.test(literal)) return Number.isSafeInteger(value);
  return Number.isFinite(value) && normalize(literal) === normalize(String(value));
}

/** Returns sign, digits without zeros at either end, and power of ten. */
function normalize(literal: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = LITERAL.exec(literal) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  if (short === '') return '0';
  return `${sign}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`;
}
