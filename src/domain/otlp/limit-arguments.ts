// Shortens what is larger than an action may be: long texts become their digest, size and beginning.
import { canonicalize, type Json, type JsonObject } from '@assay/json';
import { sha256Hex } from '../record/chain.ts';

const KIB = 1024;
/** Below the limits of a decision (document 1, section 9), with room for what is around the value. */
const ACTION_BYTES = 9 * KIB;
const WHOLE_BYTES = 95 * KIB;
/** Bytes from which a text is replaced. */
const LONG_TEXT = 2 * KIB;
const HEAD_CHARACTERS = 200;

export interface Shortened {
  /** The arguments, within the limit of an action. */
  shown: Json;
  /** The whole ones, where they were shortened and still fit beside the action; else null. */
  whole: Json;
}

export function limitArguments(given: Json): Shortened {
  const bytes = countBytes(given);
  if (bytes <= ACTION_BYTES) return { shown: given, whole: null };
  const shortened = replaceLongTexts(given);
  const shown =
    countBytes(shortened) <= ACTION_BYTES ? shortened : describeText(canonicalize(given));
  return { shown, whole: bytes <= WHOLE_BYTES ? given : null };
}

/** Cuts a text to a number of characters, never inside of one. */
export function truncateText(text: string, characters: number): string {
  return text.length <= characters ? text : text.slice(0, characters).toWellFormed();
}

const countBytes = (value: Json): number => Buffer.byteLength(JSON.stringify(value));

function replaceLongTexts(value: Json): Json {
  if (typeof value === 'string')
    return Buffer.byteLength(value) > LONG_TEXT ? describeText(value) : value;
  if (Array.isArray(value)) return value.map(replaceLongTexts);
  if (typeof value !== 'object' || value === null) return value;
  const replaced: JsonObject = {};
  for (const name of Object.keys(value)) replaced[name] = replaceLongTexts(value[name] as Json);
  return replaced;
}

function describeText(text: string): JsonObject {
  return {
    $sha256: sha256Hex(text),
    $bytes: Buffer.byteLength(text),
    $head: truncateText(text, HEAD_CHARACTERS),
  };
}
