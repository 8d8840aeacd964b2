// Encrypts recoverable secrets, and computes keyed digests of guessable ones; the key is not in the database.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { draw16Bytes } from '../ids.ts';

export interface Vault {
  /** Encrypts with AES-256-GCM and additional authenticated data: a copy in another record does not decrypt. */
  encrypt(text: string, aad: string): string;
  /** @throws Error when the value was encrypted with other `aad` or an unknown key, or was altered */
  decrypt(ciphertext: string, aad: string): string;
  /** HMAC-SHA256 of a short secret and its `aad` in hex: with the current key first, then with the previous ones. */
  computeDigests(text: string, aad: string): [string, ...string[]];
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Derives the key of one purpose. */
function deriveKey(secret: string, purpose: string): Buffer {
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
  const encryptionKey = deriveKey(key, 'seal');
  const decryptionKeys = secrets.map((secret) => deriveKey(secret, 'seal'));
  const digestKey = deriveKey(key, 'digest');
  const formerDigestKeys = formerKeys.map((secret) => deriveKey(secret, 'digest'));
  const computeDigest = (hmacKey: Buffer, text: string, aad: string): string =>
    createHmac('sha256', hmacKey).update(`${aad}\0${text}`).digest('hex');

  return {
    encrypt(text, aad) {
      const nonce = draw16Bytes().subarray(0, NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, encryptionKey, nonce).setAAD(Buffer.from(aad));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    decrypt(ciphertext, aad) {
      const bytes = Buffer.from(ciphertext, 'base64url');
      for (const decryptionKey of decryptionKeys) {
        const text = decrypt(bytes, decryptionKey, aad);
        if (text !== null) return text;
      }
      throw new Error('cannot decrypt a value: unknown key, another record, or altered');
    },
    computeDigests: (text, aad) => [
      computeDigest(digestKey, text, aad),
      ...formerDigestKeys.map((hmacKey) => computeDigest(hmacKey, text, aad)),
    ],
  };
}

function decrypt(bytes: Buffer, key: Buffer, aad: string): string | null {
  const [nonce, tag, body] = [
    bytes.subarray(0, NONCE_BYTES),
    bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
    bytes.subarray(NONCE_BYTES + TAG_BYTES),
  ];
  if (tag.length < TAG_BYTES) return null;
  try {
    const decipher = createDecipheriv(ALGORITHM, key, nonce)
      .setAAD(Buffer.from(aad))
      .setAuthTag(tag);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}
