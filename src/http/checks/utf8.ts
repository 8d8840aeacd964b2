// Decodes UTF-8 in steps: the decoder takes some 8 ms for a megabyte of non-ASCII characters (bench row health).
import type { Parts } from '../../domain/others-turn.ts';

const PART_BYTES = 128 * 1024;
/** Drops a byte order mark, which only the first part may have. */
const firstDecoder = new TextDecoder('utf-8', { fatal: true });
const laterDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws TypeError for bytes that are not UTF-8 */
export function* decodeUtf8(bytes: Buffer): Parts<string> {
  let end = findBoundary(bytes, PART_BYTES);
  let text = firstDecoder.decode(bytes.subarray(0, end));
  while (end < bytes.length) {
    yield;
    const start = end;
    end = findBoundary(bytes, start + PART_BYTES);
    text += laterDecoder.decode(bytes.subarray(start, end));
  }
  return text;
}

/** Finds where a character begins: at `index` or at most three bytes later, beyond which the text is not UTF-8. */
function findBoundary(bytes: Buffer, index: number): number {
  let boundary = index;
  while (boundary < index + 3 && isContinuation(bytes[boundary])) boundary += 1;
  return Math.min(boundary, bytes.length);
}

function isContinuation(byte = 0): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}
