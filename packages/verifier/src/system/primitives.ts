// Hashes, signatures and encodings by Node.js; the build for browsers puts a module of its own in this place.
export { isUtf8 } from 'node:buffer';
import { createHash, createPublicKey, verify, type JsonWebKey, type KeyObject } from 'node:crypto';

const SPKI_OF_ED25519 = Buffer.from('302a300506032b6570032100', 'hex');

export function hashBytes(...parts: (string | Uint8Array)[]): Buffer {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest();
}

/** Returns whether a raw key of 32 bytes has signed the text (RFC 8032). */
export function isEd25519Signature(text: string, signature: Uint8Array, key: Uint8Array): boolean {
  const spki = Buffer.concat([SPKI_OF_ED25519, key]);
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  return signature.length === 64 && verify(null, Buffer.from(text), publicKey, signature);
}

/** A key of P-256 as JWK. */
export interface EcKey {
  x?: unknown;
  y?: unknown;
}

const readKey = (key: EcKey): KeyObject =>
  createPublicKey({ key: key as JsonWebKey, format: 'jwk' });

/** Returns whether the key has signed the text (ES256 of RFC 7518). @throws Error when it is no key */
export function isEs256Signature(text: string, signature: Uint8Array, key: EcKey): boolean {
  const options = { key: readKey(key), dsaEncoding: 'ieee-p1363' } as const;
  return verify('sha256', Buffer.from(text), options, signature);
}

/** A public key in DER, and its COSE algorithm. */
export interface SignatureKey {
  spki: Uint8Array;
  alg: number;
}

/** COSE algorithms of passkeys, each with the kind of key that it is for. */
const ALGORITHMS: Readonly<Record<number, { type: string; hash: 'sha256' | null }>> = {
  [-7]: { type: 'ec', hash: 'sha256' },
  [-8]: { type: 'ed25519', hash: null },
  [-257]: { type: 'rsa', hash: 'sha256' },
};

/** Returns whether a passkey's key has signed the bytes: ES256 in DER, EdDSA or RS256. What is no key has signed nothing. */
export function isKeySignature(
  bytes: Uint8Array,
  signature: Uint8Array,
  { spki, alg }: SignatureKey,
): boolean {
  const algorithm = ALGORITHMS[alg];
  if (!algorithm) return false;
  try {
    const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
    const { asymmetricKeyType, asymmetricKeyDetails } = key;
    const isCurve = alg !== -7 || asymmetricKeyDetails?.namedCurve === 'prime256v1';
    if (asymmetricKeyType !== algorithm.type || !isCurve) return false;
    return verify(algorithm.hash, bytes, key, signature);
  } catch {
    return false;
  }
}

/** Computes the SHA-256 of a key's SPKI, in hex, by which it is named. @throws Error when it is no key */
export function computeKeyName(key: EcKey): string {
  return hashBytes(readKey(key).export({ type: 'spki', format: 'der' })).toString('hex');
}
