// Canonical JSON (RFC 8785): one text for each value, so that anyone can recompute a digest.
import type { Json, JsonObject } from './json.ts';

/** Characters that JSON must escape, and surrogates, which may be unpaired. */
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/**
 * The RFC 8785 text of a value: members sorted by UTF-16 code units, numbers and strings as ECMAScript writes them, -0 as 0.
 * npm's canonicalize takes 32 us for the committed values and the payload of one decision, this takes 13 (row ingest/R1).
 * Recursive: the caller bounds the depth (`parseSafeJson` allows 32).
 * @throws TypeError for what JSON cannot represent: NaN, Infinity, undefined, lone surrogates, functions
 */
export function canonicalize(value: Json): string {
  if (typeof value === 'string') return quote(value);
  if (value === null) return 'null';
  if (typeof value === 'number') return numeral(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value !== 'object') throw new TypeError(`JSON cannot represent a ${typeof value}`);
  return Array.isArray(value) ? list(value) : members(value);
}

/** A string as JSON text. @throws TypeError for a lone surrogate */
export function quote(text: string): string {
  if (!ESCAPED.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new TypeError('JSON cannot represent a lone surrogate');
  return JSON.stringify(text);
}

/** The value with the keys of all its objects in canonical order: as it is read back from its canonical text. */
export function inCanonicalOrder(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(inCanonicalOrder);
  const ordered: JsonObject = {};
  for (const key of sortedKeys(value)) ordered[key] = inCanonicalOrder(value[key] as Json);
  return ordered;
}

/** The keys of an object in canonical order, which those of a judged decision have already (row ingest/R1). */
export function sortedKeys(value: JsonObject): string[] {
  const keys = Object.keys(value);
  for (let i = 1; i < keys.length; i++)
    if ((keys[i - 1] as string) > (keys[i] as string)) return keys.sort();
  return keys;
}

function numeral(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`JSON cannot represent ${value}`);
  return String(value);
}

function list(values: Json[]): string {
  let text = '[';
  for (let i = 0; i < values.length; i++)
    text += (i === 0 ? '' : ',') + canonicalize(values[i] as Json);
  return text + ']';
}

function members(value: JsonObject): string {
  let text = '';
  for (const key of sortedKeys(value)) {
    text += `${text === '' ? '{' : ','}${quote(key)}:${canonicalize(value[key] as Json)}`;
  }
  return text === '' ? '{}' : text + '}';
}
