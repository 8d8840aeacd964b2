// SHA-256 digests and the commitment that binds an approval to the raw action.
import { canonicalize, type Json } from './json.ts';

const encoder = new TextEncoder();

/** Returns the SHA-256 of a text's UTF-8, in hexadecimal. */
export async function hashText(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(text));
  return toHex(new Uint8Array(digest));
}

/** Returns the SHA-256 of the canonical text (RFC 8785) of a value, in hexadecimal. */
export const hashJson = (value: Json): Promise<string> => hashText(canonicalize(value));

/** Returns the commitment of the chain to a raw action: SHA-256 of `["<salt>","rawAction","<digest>"]`. */
export const computeCommitment = (salt: string, rawActionDigest: string): Promise<string> =>
  hashText(JSON.stringify([salt, 'rawAction', rawActionDigest]));

const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
