// Authenticates messages of external systems, which sign them with a shared secret (document 1, section 7).
import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalize, type JsonObject } from '@assay/json';

export interface SignedMessage {
  /** Includes a `timestamp`. */
  payload: Record<string, unknown>;
  /** HMAC-SHA256 over the canonical JSON (RFC 8785) of the payload, in hex. */
  signature: string;
  keyId: string;
}

/** The keys and the time window; times in milliseconds. */
interface VerificationContext<K> {
  keys: ReadonlyMap<string, K>;
  now: number;
  windowMs: number;
}

export type MessageRefusal = 'malformed time' | 'wrong signature' | 'outside the window';

const SIGNATURE = /^[0-9a-f]{64}$/i;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;
/** The end of the year 9999, which also limits ISO 8601 instants. */
const MAX_EPOCH_MS = 253_402_300_799_999;

/** Replaces an unknown key, so that it takes as long as a wrong signature; the message is refused in any case. */
const DUMMY_KEY = { key: Buffer.alloc(32) };

/**
 * The key that authenticates a message, or the reason of its refusal. The time is parsed first and compared last, so a
 * caller without a key learns only whether the form is valid.
 */
export function authenticateMessage<K extends { key: Buffer }>(
  message: SignedMessage,
  { keys, now, windowMs }: VerificationContext<K>,
): { key: K } | { refusal: MessageRefusal } {
  const time = parseMessageTime(message.payload.timestamp);
  if (time === null) return { refusal: 'malformed time' };
  const key = keys.get(message.keyId);
  const isSigned = isSignedWith((key ?? DUMMY_KEY).key, message);
  if (key === undefined || !isSigned) return { refusal: 'wrong signature' };
  return Math.abs(now - time) <= windowMs ? { key } : { refusal: 'outside the window' };
}

/** Parses milliseconds since the epoch or ISO 8601 with an offset to milliseconds; null for anything else. */
export function parseMessageTime(value: unknown): number | null {
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
