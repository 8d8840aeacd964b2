// Encrypts content at rest with AES-256-GCM under the entry's key, bound to its place (docs/internals/ledger.md, keys).
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { CommittedValue } from '../../domain/record/commitments.ts';
import { draw16Bytes } from '../../platform/ids.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const BODY_AT = NONCE_BYTES + TAG_BYTES;

/** Encrypts content. @param place additional authenticated data: `decryptBytes` MUST get the same */
export function encryptContent(content: string | Uint8Array, key: Buffer, place: string): Buffer {
  const nonce = draw16Bytes().subarray(0, NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(place));
  const body =
    typeof content === 'string' ? cipher.update(content, 'utf8') : cipher.update(content);
  cipher.final();
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Decrypts content; null when it was altered or was encrypted for another place. */
export function decryptBytes(bytes: Uint8Array, key: Buffer, place: string): Buffer | null {
  if (bytes.length < BODY_AT) return null;
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(place))
      .setAuthTag(bytes.subarray(NONCE_BYTES, BODY_AT));
    const body = decipher.update(bytes.subarray(BODY_AT));
    decipher.final();
    return body;
  } catch {
    return null;
  }
}

type Values = Readonly<Record<string, CommittedValue>>;

/** Formats each value as one line: name, seed and text. Texts MUST be canonical, so they have no line breaks. */
export function formatLines(values: Values): string {
  return Object.entries(values)
    .map(([name, { seed, text }]) => `${name} ${seed} ${text}`)
    .join('\n');
}

/** Parses the values that `formatLines` has written. */
export function parseLines(lines: string): Values {
  const values: Record<string, CommittedValue> = {};
  for (let start = 0; start < lines.length;) {
    const name = lines.slice(start, lines.indexOf(' ', start));
    const seedAt = start + name.length + 1;
    const seed = lines.slice(seedAt, lines.indexOf(' ', seedAt));
    const textAt = seedAt + seed.length + 1;
    const lineEnd = lines.indexOf('\n', textAt);
    const end = lineEnd < 0 ? lines.length : lineEnd;
    values[name] = { seed, text: lines.slice(textAt, end) };
    start = end + 1;
  }
  return values;
}
