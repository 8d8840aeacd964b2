// Large texts in an action: replaced by their digest, length and beginning until the action fits the service's limit.
import { hashText } from './digest.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

/** The service's limit for `outputDecision.action`, in bytes of JSON. */
const ACTION_BYTES_MAX = 10_240;
/** Texts up to this length stay. */
const TEXT_BYTES_MIN = 2_048;
const HEAD_CHARACTERS = 200;

interface Found {
  parent: JsonObject | Json[];
  key: string | number;
  text: string;
}

const encoder = new TextEncoder();
const countBytes = (value: Json): number => encoder.encode(JSON.stringify(value)).length;

/**
 * Returns the action as it is posted. The digests in it bind the whole texts. An action that fits is returned as it is.
 */
export async function shortenAction<A extends Json>(action: A): Promise<A> {
  if (countBytes(action) <= ACTION_BYTES_MAX) return action;
  const short = structuredClone(action);
  const largest = listTexts(short).sort((one, other) => other.text.length - one.text.length);
  for (const { parent, key, text } of largest) {
    if (countBytes(short) <= ACTION_BYTES_MAX) break;
    const bytes = encoder.encode(text).length;
    if (bytes <= TEXT_BYTES_MIN) break;
    const head = [...text.slice(0, HEAD_CHARACTERS * 2)].slice(0, HEAD_CHARACTERS).join('');
    const reference = { $sha256: await hashText(text), $bytes: bytes, $head: head };
    (parent as Record<string | number, Json>)[key] = reference;
  }
  return short;
}

function listTexts(value: Json): Found[] {
  if (!Array.isArray(value) && !isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    typeof item === 'string' ? [{ parent: value, key, text: item }] : listTexts(item),
  );
}
