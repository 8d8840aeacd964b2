// Hashes, signatures and encodings in a browser: stands in the place of `packages/verifier/src/system/primitives.ts`.
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { EcKey, SignatureKey } from '@assay/verifier';

export type { EcKey, SignatureKey };

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

/** What precedes a key of Ed25519 in its SPKI. */
const SPKI_OF_ED25519 = Buffer.from('302a300506032b6570032100', 'hex');
/** `rsaEncryption`, as the SPKI of an RSA key names it. */
const RSA = Buffer.from('300d06092a864886f70d0101010500', 'hex');
/** What precedes a SHA-256 that RSA signs (RFC 8017, section 9.2). */
const DIGEST_INFO = '3031300d060960864801650304020105000420';

export function isKeySignature(
  bytes: Uint8Array,
  signature: Uint8Array,
  { spki, alg }: SignatureKey,
): boolean {
  const der = Buffer.from(spki);
  return isValid(() => {
    if (alg === -7) return isDerEs256(bytes, signature, der);
    if (alg === -8) return isDerEd25519(bytes, signature, der);
    return alg === -257 && isRs256(bytes, signature, der);
  });
}

/** The raw key behind the beginning that its SPKI must have. @throws Error when it is another kind of key */
function readRawKey(der: Buffer, beginning: Buffer): Buffer {
  if (!der.subarray(0, beginning.length).equals(beginning)) throw new Error('not a key');
  return der.subarray(beginning.length);
}

function isDerEs256(bytes: Uint8Array, signature: Uint8Array, der: Buffer): boolean {
  const point = readRawKey(der, SPKI_OF_P256);
  return p256.verify(signature, bytes, point, { lowS: false, format: 'der' });
}

const isDerEd25519 = (bytes: Uint8Array, signature: Uint8Array, der: Buffer): boolean =>
  ed25519.verify(signature, bytes, readRawKey(der, SPKI_OF_ED25519), { zip215: false });

/** RSASSA-PKCS1-v1_5: the padded digest, compared whole. */
function isRs256(bytes: Uint8Array, signature: Uint8Array, der: Buffer): boolean {
  const { modulus, exponent } = readRsaKey(der);
  const size = modulus.length;
  const number = toNumber(signature);
  if (signature.length !== size || number >= toNumber(modulus)) return false;
  const opened = raise(number, toNumber(exponent), toNumber(modulus));
  const info = `${DIGEST_INFO}${hashBytes(bytes).toString('hex')}`;
  const padding = 'ff'.repeat(size - 3 - info.length / 2);
  return opened.toString(16).padStart(size * 2, '0') === `0001${padding}00${info}`;
}

const toNumber = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

function raise(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (let [power, left] = [base, exponent]; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * power) % modulus;
    power = (power * power) % modulus;
  }
  return result;
}

/** @throws Error when it is no RSA key */
function readRsaKey(der: Buffer): { modulus: Buffer; exponent: Buffer } {
  const outer = readDer(der, 0x30);
  const bits = readDer(readRawKey(outer.value, RSA), 0x03);
  const numbers = readDer(bits.value.subarray(1), 0x30);
  const modulus = readDer(numbers.value, 0x02);
  const exponent = readDer(modulus.rest, 0x02);
  const first = modulus.value[0] === 0 ? 1 : 0;
  if (exponent.value.length > 4) throw new Error('not a key');
  return { modulus: modulus.value.subarray(first), exponent: exponent.value };
}

/** Reads one value of DER with a tag. @throws Error when there is none */
function readDer(bytes: Buffer, tag: number): { value: Buffer; rest: Buffer } {
  const length = bytes[1] ?? 0;
  const more = length > 0x80 ? length - 0x80 : 0;
  if (bytes[0] !== tag || more > 2) throw new Error('not a key');
  const from = 2 + more;
  const size = more === 0 ? length : Number(toNumber(bytes.subarray(2, from)));
  if (bytes.length < from + size) throw new Error('not a key');
  return { value: bytes.subarray(from, from + size), rest: bytes.subarray(from + size) };
}

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
