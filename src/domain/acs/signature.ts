// Signatures of the Agent Control Standard (v0.1.0, section 10): HMAC-SHA256 over the canonical envelope.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { canonicalize, isJsonObject, type Json, type JsonObject } from '@assay/json';

export const ALGORITHM = 'HMAC-SHA256';
const KEY_BYTES = 32;

/** The member of an envelope that carries its signature. */
type Part = 'params' | 'result' | 'error';

/** The key of a session, derived from the API key that both sides know. */
export function deriveSessionKey(secret: string | Buffer, sessionId: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', sessionId, KEY_BYTES));
}

/** The envelope with a signature over all of it. */
export function signEnvelope(
  envelope: JsonObject,
  part: Part,
  { key, keyId }: { key: Buffer; keyId: string },
): JsonObject {
  const { signature: _, ...content } = readPart(envelope, part);
  const value = computeSignature({ ...envelope, [part]: content }, key).toString('base64');
  const signature = { algorithm: ALGORITHM, value, key_id: keyId };
  return { ...envelope, [part]: { ...content, signature } };
}

/** Whether the parameters of a request have a signature of this key over the whole request. */
export function hasSignature(envelope: JsonObject, key: Buffer): boolean {
  const { signature = null, ...content } = readPart(envelope, 'params');
  if (!isJsonObject(signature) || signature['algorithm'] !== ALGORITHM) return false;
  const { value } = signature;
  if (typeof value !== 'string') return false;
  const given = Buffer.from(value, 'base64');
  const expected = computeSignature({ ...envelope, params: content }, key);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const computeSignature = (envelope: JsonObject, key: Buffer): Buffer =>
  createHmac('sha256', key).update(canonicalize(envelope)).digest();

function readPart(envelope: JsonObject, part: Part): JsonObject {
  const value: Json = envelope[part] ?? null;
  return isJsonObject(value) ? value : {};
}
