// Computes the chain hash of entries on this device, from the parts that the format names, and compares.
import type { components } from '../../api/schema.gen.d.ts';

export type CheckedEntry = Pick<
  components['schemas']['ChainEntry'],
  'prevHash' | 'payloadDigest' | 'sequence' | 'createdAt' | 'chainHash'
>;

async function hashText(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the sequence of the first entry that does not match; null: all do. @throws Error without a secure context */
export async function verifyEntries(entries: readonly CheckedEntry[]): Promise<number | null> {
  if (!('subtle' in crypto))
    throw new Error('Browsers compute hashes only over https or on this machine itself');
  for (const { prevHash, payloadDigest, sequence, createdAt, chainHash } of entries) {
    const computed = await hashText(`${prevHash}${payloadDigest}${sequence}${createdAt}`);
    if (computed !== chainHash) return sequence;
  }
  return null;
}
