// Digests a text under a secret: it can be compared, and not be guessed without the secret.
import { createHmac } from 'node:crypto';

/** Bytes of a digest; 22 characters in base64url. */
const BYTES = 16;

/** The first 16 bytes of an HMAC-SHA256. */
export const computeKeyedDigest = (secret: string, text: string): Buffer =>
  createHmac('sha256', secret).update(text).digest().subarray(0, BYTES);
