// Computes the chain hash of entries on this device, from the parts that the format names, and compares.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { components } from '../../api/schema.gen.d.ts';

export type CheckedEntry = Pick<
  components['schemas']['ChainEntry'],
  'prevHash' | 'payloadDigest' | 'sequence' | 'createdAt' | 'chainHash'
>;

const hashText = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

/** Returns the sequence of the first entry that does not match; null: all do. */
export function verifyEntries(entries: readonly CheckedEntry[]): number | null {
  const wrong = entries.find(
    ({ prevHash, payloadDigest, sequence, createdAt, chainHash }) =>
      hashText(`${prevHash}${payloadDigest}${sequence}${createdAt}`) !== chainHash,
  );
  return wrong?.sequence ?? null;
}
