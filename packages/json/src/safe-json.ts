// Parses untrusted JSON, and refuses values that could not be stored, canonicalised or committed to exactly as sent.
import { formatPointer } from './json-pointer.ts';
import type { Json, JsonObject } from './json.ts';

/** Levels of nesting; the outermost container is the first. */
export const MAX_DEPTH = 32;
/** Members and elements of one document at all levels: they, rather than its bytes, determine the cost. */
export const MAX_VALUES = 20_000;

/** Well-formed JSON that is refused. */
export class UnsafeJson extends Error {
  /** JSON Pointer (RFC 6901) of the value, or of the object whose key it is. */
  readonly path: string;
  readonly reason: string;

  constructor(path: string, reason: string) {
    super(`${path === '' ? 'The document' : path}: ${reason}`);
    this.name = 'UnsafeJson';
    this.path = path;
    this.reason = reason;
  }
}

/** The reason for refusing a value, and its path from the innermost key outwards. */
interface Refusal {
  reason: string;
  keys: (string | number)[];
}

/**
 * Parses JSON. The last of duplicate keys wins and -0 becomes 0.
 * @throws SyntaxError when it is not JSON
 * @throws UnsafeJson for lone surrogates and NUL in strings and keys, the key `__proto__`, numbers that are infinite or
 *   integers beyond 2^53 - 1, nesting deeper than 32, and more than 20,000 values
 */
export function parseSafeJson(text: string): Json {
  const checked = checkDocument(parseBounded(text));
  if (checked instanceof UnsafeJson) throw checked;
  return checked;
}

/**
 * Parses an object with a list whose items are documents of their own, each with its own levels: an unsafe item is an
 * `UnsafeJson` in its place. All of them share the limit of values.
 * @throws SyntaxError, UnsafeJson as `parseSafeJson` does, for what stands outside of the items
 */
export function parseSafeItems(text: string, member: string): unknown {
  const root = parseBounded(text);
  const items = isObject(root) && Object.hasOwn(root, member) ? root[member] : null;
  if (!isObject(root) || !Array.isArray(items)) return parseSafeJson(text);
  const checked = checkDocument({ ...root, [member]: null });
  if (checked instanceof UnsafeJson) throw checked;
  return { ...(checked as JsonObject), [member]: items.map(checkDocument) };
}

/** Parses JSON whose nesting and number of values have a bound. */
function parseBounded(text: string): Json {
  const excess = text.length > SCANNED_FROM ? findExcess(text, SCAN_BOUNDS) : null;
  if (excess) throw new UnsafeJson('', EXCESSES[excess]);
  return JSON.parse(text) as Json;
}

/** Returns the document as it may be stored, or why it may not. */
function checkDocument(document: Json): Json | UnsafeJson {
  const root = [document];
  const refusal = checkMember(root, 0, 1);
  if (!refusal) return root[0] as Json;
  return new UnsafeJson(formatPointer(refusal.keys.slice(0, -1).toReversed()), refusal.reason);
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Texts from this length on are scanned first; shorter ones parse fast in any case. */
const SCANNED_FROM = 10_000;
const SCAN_BOUNDS = { depth: 1000, values: MAX_VALUES };
const EXCESSES = {
  depth: `nested deeper than ${MAX_DEPTH}`,
  values: `more than ${MAX_VALUES} members and elements`,
} as const;
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];

/**
 * Finds excessive nesting or too many values, in well-formed text or not: the engine takes most of a second for a
 * megabyte of open containers, and the checks take as long for a megabyte of ones and commas.
 */
export function findExcess(
  text: string,
  bounds: { depth: number; values: number },
): 'depth' | 'values' | null {
  let depth = 0;
  let values = 1;
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isQuoted) {
      if (code === BACKSLASH) i++;
      else if (code === QUOTE) isQuoted = false;
    } else if (code === QUOTE) isQuoted = true;
    else if (code === COMMA) values++;
    // The codes are those of [ and {, then ] and }.
    else if (code === 0x5b || code === 0x7b) {
      values++;
      if (++depth > bounds.depth) return 'depth';
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return values > bounds.values ? 'values' : null;
}

/** Checks `holder[key]`, a container of which has this depth. The depth limit protects the stack from the recursion. */
function checkMember(
  holder: Json[] | JsonObject,
  key: string | number,
  depth: number,
): Refusal | null {
  const value = (holder as JsonObject)[key] as Json;
  const refusal = checkValue(value, depth);
  if (refusal) refusal.keys.push(key);
  else if (value === 0) (holder as JsonObject)[key] = 0;
  return refusal;
}

function checkValue(value: Json, depth: number): Refusal | null {
  if (typeof value === 'string') return toRefusal(findTextProblem(value));
  if (typeof value === 'number') return toRefusal(findNumberProblem(value));
  if (typeof value !== 'object' || value === null) return null;
  if (depth > MAX_DEPTH) return toRefusal(`nested deeper than ${MAX_DEPTH}`);
  return Array.isArray(value) ? checkItems(value, depth) : checkMembers(value, depth);
}

function checkItems(values: Json[], depth: number): Refusal | null {
  for (let i = 0; i < values.length; i++) {
    const refusal = checkMember(values, i, depth + 1);
    if (refusal) return refusal;
  }
  return null;
}

function checkMembers(value: JsonObject, depth: number): Refusal | null {
  for (const key of Object.keys(value)) {
    if (key === '__proto__') return toRefusal('the key __proto__ is not allowed');
    const problem = findTextProblem(key);
    const refusal =
      problem === null ? checkMember(value, key, depth + 1) : toRefusal(`a key with ${problem}`);
    if (refusal) return refusal;
  }
  return null;
}

function toRefusal(reason: string | null): Refusal | null {
  return reason === null ? null : { reason, keys: [] };
}

function findTextProblem(text: string): string | null {
  if (text.includes('\0')) return 'a NUL character';
  return text.isWellFormed() ? null : 'a lone surrogate';
}

function findNumberProblem(value: number): string | null {
  if (!Number.isFinite(value)) return 'a number out of range';
  return Number.isInteger(value) && !Number.isSafeInteger(value)
    ? 'an integer beyond 2^53 - 1'
    : null;
}
