// Legacy manifests with a MAC instead of a signature: verified, no longer issued (document 3, section 2).
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Claim, toClaimText } from './claim.ts';
import type { Verified } from './manifest.ts';

const MAC = /^[0-9a-f]{64}$/;

/** HMAC-SHA256 in hex over the canonical text of the claim; `key` null: the installation has none. */
export function verifyLegacyManifest(mac: string, claim: Claim, key: string | null): Verified {
  if (!MAC.test(mac)) return { reason: 'manifest-malformed', signed: null };
  if (key === null) return { reason: 'key-not-found', signed: null };
  const expected = createHmac('sha256', key).update(toClaimText(claim)).digest();
  if (!timingSafeEqual(expected, Buffer.from(mac, 'hex')))
    return { reason: 'signature-invalid', signed: null };
  return { reason: 'verified', signed: { kid: '', claim } };
}
