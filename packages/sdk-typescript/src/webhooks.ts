// Checks the signature of a webhook delivery (Standard Webhooks 1.0.0) before its body is believed.
import { Invalid } from './errors.ts';
import { type Json, isObject } from './json.ts';

/** Seconds that a delivery's time stamp may be off. */
const TOLERANCE_SECONDS = 300;
const PREFIX = 'whsec_';

export interface Delivery {
  /** The same for every attempt: act on each id once. */
  id: string;
  event: string;
  timestamp: string;
  data: Json;
}

/** Headers as `Request`, Node or a framework give them. */
export type HeaderSource = Headers | Record<string, string | string[] | undefined>;

/**
 * Verifies a delivery and returns it.
 * @param body the raw body: bytes or text as they arrived, not parsed and written again
 * @param secret the webhook's signing secret, `whsec_` and Base64
 * @throws Invalid when a header is missing, the time stamp is off, or no signature fits
 */
export async function verify(
  body: string | Uint8Array,
  headers: HeaderSource,
  secret: string,
): Promise<Delivery> {
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const signatures = readHeader(headers, 'webhook-signature').split(' ');
  if (!/^\d{1,12}$/.test(timestamp)) throw createError('The time stamp is no number of seconds');
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS)
    throw createError('The time stamp is more than five minutes off');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const key = await importSecret(secret);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const valid = await Promise.all(signatures.map((signature) => isValid(key, signature, signed)));
  if (!valid.includes(true)) throw createError('No signature fits');
  const value = JSON.parse(text) as Json;
  if (!isObject(value)) throw createError('The body is no event');
  return {
    id,
    event: String(value.event),
    timestamp: String(value.timestamp),
    data: value.data ?? null,
  };
}

async function isValid(key: Key, signature: string, signed: Uint8Array<ArrayBuffer>) {
  const [version, value] = signature.split(',');
  const bytes = version === 'v1' && value !== undefined ? decodeBase64(value) : null;
  // WebCrypto compares in constant time.
  return bytes !== null && (await crypto.subtle.verify('HMAC', key, bytes, signed));
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

function importSecret(secret: string): Promise<Key> {
  const bytes = decodeBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (!bytes?.length) throw createError('The secret is not the one that the service showed');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function readHeader(headers: HeaderSource, name: string): string {
  const found =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const value = Array.isArray(found) ? found[0] : found;
  if (!value) throw createError(`The header ${name} is missing`);
  return value;
}

const createError = (message: string): Invalid => new Invalid(message, { code: 'WEBHOOK_INVALID' });
