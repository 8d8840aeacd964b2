// JSON values, and their canonical text (RFC 8785), which digests are taken of.
import { Invalid } from './errors.ts';

export type Json = string | number | boolean | null | Json[] | JsonObject;
export interface JsonObject {
  [member: string]: Json;
}

/**
 * Returns the JSON that a value stands for, as `JSON.stringify` sees it: members that are undefined are left out, dates
 * are texts, and so are bigints that no number holds exactly.
 * @throws Invalid when JSON cannot represent the value: a cycle, a function, NaN
 */
export function toJson(value: unknown): Json {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, convertNumber);
  } catch (error) {
    throw new Invalid(`The arguments are no JSON: ${(error as Error).message}`);
  }
  if (text === undefined) throw new Invalid('The arguments are no JSON');
  return JSON.parse(text) as Json;
}

function convertNumber(_: string, value: unknown): unknown {
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TypeError(`${value} is no JSON number`);
  return value;
}

/**
 * Returns the RFC 8785 text of a value.
 * @throws Invalid for a lone surrogate
 */
export function canonicalize(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalize).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.keys(value).sort();
    return `{${members.map((key) => `${canonicalize(key)}:${canonicalize(value[key]!)}`).join(',')}}`;
  }
  if (typeof value === 'string' && LONE_SURROGATE.test(value))
    throw new Invalid('A text has a lone surrogate, which JSON cannot represent');
  return JSON.stringify(value);
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Applies a JSON Merge Patch (RFC 7396) and returns the result; the target stays as it is. */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged: JsonObject = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else
      Object.defineProperty(merged, key, {
        value: mergePatch(Object.hasOwn(merged, key) ? merged[key]! : null, value),
        configurable: true,
        enumerable: true,
        writable: true,
      });
  }
  return merged;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
