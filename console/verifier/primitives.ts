// Hashes, signatures and encodings in a browser: stands in the place of `packages/verifier/src/system/primitives.ts`.
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { EcKey } from '@assay/verifier';

export type { EcKey };

const SPKI_OF_P256 = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');
const UNCOMPRESSED = 4;
const COORDINATE_BYTES = 32;

const toBytes = (part: string | Uint8Array): Uint8Array =>
  typeof part === 'string' ? new TextEncoder().encode(part) : part;

export function hashBytes(...parts: (string | Uint8Array)[]): Buffer {
  const digest = sha256.create();
  for (const part of parts) digest.update(toBytes(part));
  return Buffer.from(digest.digest());
}

/** Bytes that are no key or no signature are an error of the library, and no signature here. */
function isValid(verify: () => boolean): boolean {
  try {
    return verify();
  } catch {
    return false;
  }
}

export function isEd25519Signature(text: string, signature: Uint8Array, key: Uint8Array): boolean {
  const options = { zip215: false };
  return isValid(() => ed25519.verify(signature, toBytes(text), key, options));
}

/** @throws Error when it is no point of the curve */
function readPoint({ x, y }: EcKey): Buffer {
  const parts = [x, y].map((part) => Buffer.from(typeof part === 'string' ? part : '', 'base64'));
  if (!parts.every(({ length }) => length === COORDINATE_BYTES)) throw new Error('not a key');
  const point = Buffer.concat([Buffer.of(UNCOMPRESSED), ...parts]);
  p256.Point.fromBytes(point).assertValidity();
  return point;
}

export function isEs256Signature(text: string, signature: Uint8Array, key: EcKey): boolean {
  const point = readPoint(key);
  return isValid(() => p256.verify(signature, toBytes(text), point, { lowS: false }));
}

export function computeKeyName(key: EcKey): string {
  return hashBytes(SPKI_OF_P256, readPoint(key)).toString('hex');
}

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
