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

/** @throws Unreadable when it is not JSON */
export function parse(text: string): Value {
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

export function isHex64(value: Value | undefined): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

/** Sorted and without duplicates. */
export function isAscending(list: readonly string[]): boolean {
  return list.every((item, i) => i === 0 || (list[i - 1] as string) < item);
}
