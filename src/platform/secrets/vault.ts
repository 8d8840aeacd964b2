// Closes secrets that have to be read again, and keys the digests of those that are guessable; the key is not in the database.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { random16 } from '../ids.ts';

export interface Vault {
  /** AES-256-GCM under the current key; opens only with the same `place`, so that a copy in another record is worthless. */
  seal(text: string, place: string): string;
  /** @throws Error when the text was not sealed for this place under a key that is known */
  open(sealed: string, place: string): string;
  /** HMAC-SHA256 of a short secret in its place, 64 hex digits: under the current key first, then under the former ones. */
  digests(text: string, place: string): [string, ...string[]];
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** One secret gives a key for each purpose. */
function derived(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `assay:${purpose}`, KEY_BYTES));
}

export function createVault({
  key,
  formerKeys,
}: {
  key: string;
  formerKeys: readonly string[];
}): Vault {
  const secrets = [key, ...formerKeys];
  const [sealing, digesting] = [derived(key, 'seal'), derived(key, 'digest')];
  const opening = secrets.map((secret) => derived(secret, 'seal'));
  const formerDigesting = formerKeys.map((secret) => derived(secret, 'digest'));
  const digest = (hmacKey: Buffer, text: string, place: string): string =>
    createHmac('sha256', hmacKey).update(`${place}\0${text}`).digest('hex');

  return {
    seal(text, place) {
      const nonce = random16().subarray(0, NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, sealing, nonce).setAAD(Buffer.from(place));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(sealed, place) {
      const bytes = Buffer.from(sealed, 'base64url');
      for (const candidate of opening) {
        const text = opened(bytes, candidate, place);
        if (text !== null) return text;
      }
      throw new Error('a sealed value does not open: another key, another record, or altered');
    },
    digests: (text, place) => [
      digest(digesting, text, place),
      ...formerDigesting.map((hmacKey) => digest(hmacKey, text, place)),
    ],
  };
}

function opened(bytes: Buffer, key: Buffer, place: string): string | null {
  const [nonce, tag, body] = [
    bytes.subarray(0, NONCE_BYTES),
    bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
    bytes.subarray(NONCE_BYTES + TAG_BYTES),
  ];
  if (tag.length < TAG_BYTES) return null;
  try {
    const decipher = createDecipheriv(ALGORITHM, key, nonce)
      .setAAD(Buffer.from(place))
      .setAuthTag(tag);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}
