// Shortens a large action: parts are replaced by their digest, length and beginning until it fits the service's limit.
// It imports nothing that runs, so that the main module stays in one piece.
import type { Json, JsonObject } from './json.ts';

/** What takes up to this many bytes stays. */
const PART_BYTES_MIN = 2_048;
const HEAD_CHARACTERS = 200;
/** What a reference counts for when a part is chosen. */
const REFERENCE_BYTES = 1_024;

interface Part {
  holder: JsonObject | Json[];
  key: string | number;
  /** The value as it was given. */
  whole: Json;
  /** Its bytes of JSON now. */
  bytes: number;
  around: Part | undefined;
  isReplaced: boolean;
}

const encoder = new TextEncoder();
const countText = (text: string): number => encoder.encode(text).length;
const countBytes = (value: Json): number => countText(JSON.stringify(value));

/** Functions of the main module. */
interface Tools {
  canonicalize: (value: Json) => string;
  hashText: (text: string) => Promise<string>;
}

/**
 * Returns a copy of at most so many bytes. Texts go first, the longest first; then lists and objects, the smallest that is
 * enough, or else the largest; at last all arguments.
 */
export async function replaceParts<A extends Json>(
  action: A,
  bytesMax: number,
  tools: Tools,
): Promise<A> {
  const holder: Json[] = [structuredClone(action)];
  const [root, ...parts] = listParts({ holder, key: 0, whole: action, around: undefined });
  const texts = parts.flatMap((part) => {
    const bytes = typeof part.whole === 'string' ? countText(part.whole) : 0;
    return bytes > PART_BYTES_MIN ? [{ part, bytes }] : [];
  });
  for (const { part } of texts.sort((one, other) => other.bytes - one.bytes))
    if (root!.bytes > bytesMax) await replacePart(part, tools);
  const last = parts.find(({ around, key }) => around === root && key === 'arguments');
  const nested = parts.filter((part) => typeof part.whole === 'object' && part !== last);
  while (root!.bytes > bytesMax) {
    const excess = root!.bytes - bytesMax;
    const part = choosePart(nested.filter(isOpen), excess) ?? last;
    if (!part || part.isReplaced) break;
    await replacePart(part, tools);
  }
  return holder[0] as A;
}

/** Returns a value and all that is in it, in the order of its canonical text. */
function listParts(at: Omit<Part, 'bytes' | 'isReplaced'>): Part[] {
  const part: Part = { ...at, bytes: 0, isReplaced: false };
  const { whole } = part;
  if (typeof whole !== 'object' || whole === null) {
    part.bytes = countBytes(whole);
    return [part];
  }
  const parts = [part];
  const copy = (at.holder as JsonObject)[at.key] as JsonObject;
  const keys = Array.isArray(whole) ? [...whole.keys()] : Object.keys(whole).sort();
  part.bytes = 2 + Math.max(0, keys.length - 1);
  for (const key of keys) {
    const value = (whole as JsonObject)[key]!;
    const within = listParts({ holder: copy, key, whole: value, around: part });
    part.bytes += within[0]!.bytes + (typeof key === 'string' ? countBytes(key) + 1 : 0);
    for (const inner of within) parts.push(inner);
  }
  return parts;
}

function isOpen(part: Part): boolean {
  if (part.bytes <= PART_BYTES_MIN) return false;
  for (let at: Part | undefined = part; at; at = at.around) if (at.isReplaced) return false;
  return true;
}

/** The first of equal ones. */
function choosePart(parts: readonly Part[], excess: number): Part | undefined {
  const enough = parts.filter(({ bytes }) => bytes >= excess + REFERENCE_BYTES);
  if (enough.length > 0)
    return enough.reduce((one, other) => (other.bytes < one.bytes ? other : one));
  return parts.reduce<Part | undefined>(
    (one, other) => (one && one.bytes >= other.bytes ? one : other),
    undefined,
  );
}

async function replacePart(part: Part, { canonicalize, hashText }: Tools): Promise<void> {
  const text = typeof part.whole === 'string' ? part.whole : canonicalize(part.whole);
  const head = [...text.slice(0, HEAD_CHARACTERS * 2)].slice(0, HEAD_CHARACTERS).join('');
  const reference = { $sha256: await hashText(text), $bytes: countText(text), $head: head };
  const gain = part.bytes - countBytes(reference);
  for (let at: Part | undefined = part; at; at = at.around) at.bytes -= gain;
  (part.holder as JsonObject)[part.key] = reference;
  part.isReplaced = true;
}
