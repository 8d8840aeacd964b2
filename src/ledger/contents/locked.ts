// What is kept of content at rest: AES-256-GCM under a key of the entry, bound to the place where it stands (docs/ledger.md, keys).
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { SealedValue } from '../../domain/record/commitments.ts';
import { random16 } from '../../platform/ids.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const BODY_AT = NONCE_BYTES + TAG_BYTES;

/** @param place what else has to be the same for it to be opened */
export function lock(content: string | Uint8Array, key: Buffer, place: string): Buffer {
  const nonce = random16().subarray(0, NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(place));
  const body =
    typeof content === 'string' ? cipher.update(content, 'utf8') : cipher.update(content);
  cipher.final();
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Null when it was altered, or stood elsewhere. */
export function unlock(bytes: Uint8Array, key: Buffer, place: string): Buffer | null {
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

type Values = Readonly<Record<string, SealedValue>>;

/** One line a value: name, seed and text. Canonical texts have no line breaks. */
export function linesOf(values: Values): string {
  return Object.entries(values)
    .map(([name, { seed, text }]) => `${name} ${seed} ${text}`)
    .join('\n');
}

export function valuesIn(lines: string): Values {
  const values: Record<string, SealedValue> = {};
  for (const line of lines.split('\n')) {
    const [name = '', seed = ''] = line.split(' ', 2);
    values[name] = { seed, text: line.slice(name.length + seed.length + 2) };
  }
  return values;
}
