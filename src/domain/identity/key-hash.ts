// API keys and SCIM tokens are kept as a digest only: they are random, so a plain hash is enough.
import { sha256Hex } from '../record/chain.ts';

/** Hashes a key to 64 hexadecimal digits. */
export function hashKey(raw: string): string {
  return sha256Hex(raw);
}
