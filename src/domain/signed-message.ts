// Messages of machines outside, each signed with a secret that is shared with it: whether one is genuine, and of now (document 1, section 7).
import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalize } from './record/canonical-json.ts';
import type { JsonObject } from './record/json.ts';

export interface SignedMessage {
  /** With a `timestamp`. */
  payload: Record<string, unknown>;
  /** HMAC-SHA256 over the canonical JSON (RFC 8785) of the payload, in hex. */
  signature: string;
  keyId: string;
}

/** What a message is judged by; times in milliseconds. */
interface Circumstances<K> {
  keys: ReadonlyMap<string, K>;
  now: number;
  windowMs: number;
}

export type MessageRefusal = 'malformed time' | 'wrong signature' | 'outside the window';

const SIGNATURE = /^[0-9a-f]{64}$/i;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;
/** Until the year 9999, as for an instant that is written out. */
const MAX_EPOCH_MS = 253_402_300_799_999;

/** Instead of an unknown key, so that one takes as long as a wrong signature; what it signs is refused all the same. */
const NOBODYS = { key: Buffer.alloc(32) };

/**
 * The key by which a message is genuine, or why it is refused. The time is read first and compared last: whoever has no key
 * learns nothing but the form.
 */
export function judgeMessage<K extends { key: Buffer }>(
  message: SignedMessage,
  { keys, now, windowMs }: Circumstances<K>,
): { key: K } | { refusal: MessageRefusal } {
  const time = messageTime(message.payload.timestamp);
  if (time === null) return { refusal: 'malformed time' };
  const key = keys.get(message.keyId);
  const isSigned = isSignedWith((key ?? NOBODYS).key, message);
  if (key === undefined || !isSigned) return { refusal: 'wrong signature' };
  return Math.abs(now - time) <= windowMs ? { key } : { refusal: 'outside the window' };
}

/** Milliseconds since the epoch, of such a number or of ISO 8601 with its offset; null for anything else. */
export function messageTime(value: unknown): number | null {
  const time = typeof value === 'string' && INSTANT.test(value) ? Date.parse(value) : value;
  const isTime = typeof time === 'number' && Number.isInteger(time);
  return isTime && time >= 0 && time <= MAX_EPOCH_MS ? time : null;
}

function isSignedWith(key: Buffer, { payload, signature }: SignedMessage): boolean {
  const expected = createHmac('sha256', key)
    .update(canonicalize(payload as JsonObject))
    .digest();
  return SIGNATURE.test(signature) && timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}
