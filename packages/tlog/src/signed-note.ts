// Signed notes (c2sp.org/signed-note) with Ed25519: key names, verifier keys, signature lines, cosignatures.
import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';

/** Types of keys: of logs, and of witnesses, whose signatures carry a time (c2sp.org/tlog-cosignature). */
export const LOG_KEY = 0x01;
export const WITNESS_KEY = 0x04;

const KEY_ID_BYTES = 4;
const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const TIME_BYTES = 8;
const DASH = '\u2014';
const LINE = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/;
const VERIFIER_KEY = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/;
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
/** Signatures that are read of one note; the format allows a reader to refuse more. */
const SIGNATURES_MAX = 100;
/** The end of the year 9999. */
const SECONDS_MAX = 253_402_300_799;

/** A public key and the name that it signs under. */
export interface VerifierKey {
  name: string;
  type: number;
  /** 32 bytes. */
  publicKey: Buffer;
}

export interface NoteSignature {
  name: string;
  /** Four bytes in hex. */
  keyId: string;
  /** The bytes after the key id. */
  bytes: Buffer;
}

export interface SignedNote {
  /** Ends with a line feed. */
  text: string;
  signatures: NoteSignature[];
}

/** Signs a text with Ed25519. */
export type SignNote = (text: Uint8Array) => Promise<Uint8Array>;

/** Returns the raw bytes of an Ed25519 key. */
export function toRawPublicKey(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' }).subarray(-PUBLIC_KEY_BYTES);
}

/** @throws Error when the bytes are no Ed25519 key */
function toKeyObject(publicKey: Uint8Array): KeyObject {
  const key = Buffer.concat([SPKI_PREFIX, publicKey]);
  return createPublicKey({ key, format: 'der', type: 'spki' });
}

export function computeKeyId({ name, type, publicKey }: VerifierKey): Buffer {
  const bytes = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(type), publicKey]);
  return hash('sha256', bytes, 'buffer').subarray(0, KEY_ID_BYTES);
}

/** Formats a key as verifiers take it: name, key id and key, joined by plus signs. */
export function formatVerifierKey(key: VerifierKey): string {
  const bytes = Buffer.concat([Buffer.of(key.type), key.publicKey]);
  return `${key.name}+${computeKeyId(key).toString('hex')}+${bytes.toString('base64')}`;
}

/** Parses a verifier key of either type; null: malformed, of another type, or with a wrong key id. */
export function parseVerifierKey(text: string): VerifierKey | null {
  const [, name = '', keyId, encoded = ''] = VERIFIER_KEY.exec(text) ?? [];
  const bytes = decodeBase64(encoded);
  if (bytes?.length !== 1 + PUBLIC_KEY_BYTES) return null;
  const [type = 0] = bytes;
  if (type !== LOG_KEY && type !== WITNESS_KEY) return null;
  const key = { name, type, publicKey: bytes.subarray(1) };
  return computeKeyId(key).toString('hex') === keyId ? key : null;
}

/** Decodes base64; null where it is not written in the one canonical way. */
export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

/** Formats a signature line with its line feed. */
export function formatSignatureLine(key: VerifierKey, signature: Uint8Array): string {
  const bytes = Buffer.concat([computeKeyId(key), signature]);
  return `${DASH} ${key.name} ${bytes.toString('base64')}\n`;
}

/** Signs a text, which MUST end with a line feed. */
export async function signNote(text: string, key: VerifierKey, sign: SignNote): Promise<string> {
  return `${text}\n${formatSignatureLine(key, await sign(Buffer.from(text)))}`;
}

/** Parses a signature line without its line feed; null: malformed. */
export function parseSignatureLine(line: string): NoteSignature | null {
  const [, name = '', encoded = ''] = LINE.exec(line) ?? [];
  const bytes = decodeBase64(encoded);
  if (!bytes || bytes.length <= KEY_ID_BYTES) return null;
  return {
    name,
    keyId: bytes.subarray(0, KEY_ID_BYTES).toString('hex'),
    bytes: bytes.subarray(KEY_ID_BYTES),
  };
}

/** Parses a signed note; null: malformed. */
export function parseNote(note: string): SignedNote | null {
  const end = note.lastIndexOf('\n\n');
  if (end === -1 || !note.endsWith('\n') || hasControlCharacter(note)) return null;
  const lines = note.slice(end + 2, -1).split('\n');
  if (lines.length > SIGNATURES_MAX) return null;
  const signatures = lines.map(parseSignatureLine).filter((found) => found !== null);
  return signatures.length === lines.length ? { text: note.slice(0, end + 1), signatures } : null;
}

/** Returns whether a text has a control character besides line feeds; notes must not. */
function hasControlCharacter(text: string): boolean {
  for (const character of text) if (character < ' ' && character !== '\n') return true;
  return false;
}

/**
 * Returns whether a log's or another plain key has signed the note. Of several lines of one key the first one counts, so
 * that a hundred of them cost no more.
 */
export function isSignedBy({ text, signatures }: SignedNote, key: VerifierKey): boolean {
  const keyId = computeKeyId(key).toString('hex');
  const found = signatures.find(
    (signature) => signature.name === key.name && signature.keyId === keyId,
  );
  return found !== undefined && isSignature(text, found.bytes, key);
}

function isSignature(text: string, signature: Buffer, { publicKey }: VerifierKey): boolean {
  if (signature.length !== SIGNATURE_BYTES) return false;
  return verify(null, Buffer.from(text), toKeyObject(publicKey), signature);
}

/** Returns the text that a witness signs: a note's text after a header and a time in seconds. */
export function formatCosignedText(text: string, seconds: number): string {
  return `cosignature/v1\ntime ${seconds}\n${text}`;
}

/** Formats a cosignature: the time in seconds, and the signature over `formatCosignedText`. */
export function formatCosignature(seconds: number, signature: Uint8Array): Buffer {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(seconds));
  return Buffer.concat([time, signature]);
}

/** Verifies a witness's signature of a text; returns its time in seconds, null where it does not verify. */
export function verifyCosignature(
  text: string,
  signature: NoteSignature,
  key: VerifierKey,
): number | null {
  const { name, keyId, bytes } = signature;
  if (name !== key.name || keyId !== computeKeyId(key).toString('hex')) return null;
  if (bytes.length !== TIME_BYTES + SIGNATURE_BYTES) return null;
  const seconds = Number(bytes.readBigUInt64BE());
  if (seconds > SECONDS_MAX) return null;
  const signed = formatCosignedText(text, seconds);
  return isSignature(signed, bytes.subarray(TIME_BYTES), key) ? seconds : null;
}
