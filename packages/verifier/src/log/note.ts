// Signed notes, checkpoints and cosignatures of C2SP, read and verified without server code.
import { hashBytes, isEd25519Signature } from '../system/primitives.ts';
import { Unreadable } from '../text.ts';

/** Key types: of a log or of promises, and of a witness. */
export const PLAIN = 1;
export const WITNESS = 4;

export interface Key {
  name: string;
  type: number;
  /** Four bytes in hex. */
  id: string;
  bytes: Buffer;
}

export interface Note {
  text: string;
  signatures: { name: string; id: string; bytes: Buffer }[];
}

export interface Checkpoint {
  origin: string;
  size: number;
  root: Buffer;
}

const KEY = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/;
const SIGNATURE = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/=]+)$/;
const HASH_BYTES = 32;
/** Signatures of one note; the format lets a reader refuse more. */
const SIGNATURES_MAX = 100;
/** The last second that a date is written of in four digits of a year. */
const SECONDS_MAX = 253_402_300_799;

/** @throws Unreadable when it is not canonical base64 */
export function decodeBase64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new Unreadable('not base64');
  return bytes;
}

/** @throws Unreadable when it is not 32 bytes in base64 */
export function decodeHash(text: string): Buffer {
  const bytes = decodeBase64(text);
  if (bytes.length !== HASH_BYTES) throw new Unreadable('not a hash');
  return bytes;
}

/** Reads a verifier key, `name+id+key`. @throws Unreadable */
export function readKey(text: string): Key {
  const [, name, id, encoded] = KEY.exec(text.trim()) ?? [];
  if (name === undefined || id === undefined || encoded === undefined)
    throw new Unreadable(`not a verifier key: ${text}`);
  const typed = decodeBase64(encoded);
  const [type = 0] = typed;
  const computed = hashBytes(`${name}\n`, typed).toString('hex');
  if (typed.length !== 1 + HASH_BYTES || ![PLAIN, WITNESS].includes(type))
    throw new Unreadable(`not an Ed25519 key: ${text}`);
  if (computed.slice(0, 8) !== id) throw new Unreadable(`the key id is wrong: ${text}`);
  return { name, type, id, bytes: typed.subarray(1) };
}

/** @throws Unreadable */
export function readNote(text: string): Note {
  const end = text.lastIndexOf('\n\n');
  if (end === -1 || !text.endsWith('\n')) throw new Unreadable('not a signed note');
  const lines = text.slice(end + 2, -1).split('\n');
  if (lines.length > SIGNATURES_MAX) throw new Unreadable('a note with too many signatures');
  const signatures = lines.map((line) => {
    const [, name, encoded] = SIGNATURE.exec(line) ?? [];
    if (name === undefined || encoded === undefined) throw new Unreadable('not a signature line');
    const bytes = decodeBase64(encoded);
    return { name, id: bytes.subarray(0, 4).toString('hex'), bytes: bytes.subarray(4) };
  });
  return { text: text.slice(0, end + 1), signatures };
}

/** Reads a size or an index of `what`. @throws Unreadable unless it is a whole number that is exact as a double */
export function readNumber(text: string, what: string): number {
  const number = Number(text);
  if (!/^(0|[1-9]\d{0,15})$/.test(text) || !Number.isSafeInteger(number))
    throw new Unreadable(`not a ${what}`);
  return number;
}

/** @throws Unreadable */
export function readCheckpoint({ text }: Note): Checkpoint {
  const [origin = '', size = '', root = ''] = text.split('\n');
  if (origin === '') throw new Unreadable('not a checkpoint');
  return { origin, size: readNumber(size, 'checkpoint'), root: decodeHash(root) };
}

/** Returns whether the key has signed the note under the name of `origin`. */
export function isSignedBy({ text, signatures }: Note, key: Key): boolean {
  return signatures.some(
    ({ name, id, bytes }) =>
      key.type === PLAIN &&
      name === key.name &&
      id === key.id &&
      isEd25519Signature(text, bytes, key.bytes),
  );
}

/** The time in seconds at which a witness signed the note; null: it did not. */
export function findWitnessTime({ text, signatures }: Note, key: Key): number | null {
  for (const { name, id, bytes } of signatures) {
    if (key.type !== WITNESS || name !== key.name || id !== key.id || bytes.length !== 72) continue;
    const time = Number(bytes.readBigUInt64BE());
    if (time > SECONDS_MAX) continue;
    const signed = `cosignature/v1\ntime ${time}\n${text}`;
    if (isEd25519Signature(signed, bytes.subarray(8), key.bytes)) return time;
  }
  return null;
}
