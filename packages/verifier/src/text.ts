// Canonical JSON and SHA-256, implemented again so that the verifier shares no code with the server.
import { hashBytes } from './system/primitives.ts';

export type Value = string | number | boolean | null | Value[] | { [key: string]: Value };
export type Members = { [key: string]: Value };

/** Input that is not in the format: the verdict is `cannot tell`. */
export class Unreadable extends Error {}

/** The server allows values of 32 levels; an entry or a disclosure adds a few. */
const MAX_DEPTH = 40;

/** The RFC 8785 text of a parsed value. @throws Unreadable when it is nested too deeply */
export function toCanonicalJson(value: Value, depth = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth === MAX_DEPTH) throw new Unreadable(`nested deeper than ${MAX_DEPTH}`);
  if (Array.isArray(value))
    return `[${value.map((item) => toCanonicalJson(item, depth + 1)).join(',')}]`;
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${toCanonicalJson(value[key] as Value, depth + 1)}`).join(',')}}`;
}

/** Returns a text as one line that shows all of itself: a file that is read may hold line feeds and control codes. */
export const toPlainLine = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`,
  );

const MAX_TEXT_DEPTH = 64;
const [QUOTE, BACKSLASH, BRACKET, BRACE] = [0x22, 0x5c, 0x5b, 0x7b];

/** Returns whether JSON is nested so deeply that it is not parsed, which would take long. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length && depth <= MAX_TEXT_DEPTH; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = findQuote(text, at + 1);
    else if (code === BRACKET || code === BRACE) depth++;
    // Each closing one is two above its opening one.
    else if (code === BRACKET + 2 || code === BRACE + 2) depth--;
  }
  return depth > MAX_TEXT_DEPTH;
}

/** The place of the quote that ends a string; the end of the text where none does. */
function findQuote(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); at < text.length && code !== QUOTE;)
    code = text.charCodeAt((at += code === BACKSLASH ? 2 : 1));
  return at;
}

/** @throws Unreadable when it is not JSON, or nested too deeply */
export function parse(text: string): Value {
  if (isTooDeep(text)) throw new Unreadable('nested too deeply');
  try {
    return JSON.parse(text) as Value;
  } catch {
    throw new Unreadable('not JSON');
  }
}

export function hashSha256(data: string | Uint8Array): string {
  return hashBytes(data).toString('hex');
}

export function isMembers(value: Value | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of an object; of anything else none. */
export const toMembers = (value: Value | undefined): Members => (isMembers(value) ? value : {});

export function isHex64(value: Value | undefined): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

/** Sorted and without duplicates. */
export function isAscending(list: readonly string[]): boolean {
  return list.every((item, i) => i === 0 || (list[i - 1] as string) < item);
}
