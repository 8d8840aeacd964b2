// Manifests: a claim as compact JWS (ES256 over its canonical text), and the reasons for which one is refused.
import { compactVerify } from 'jose';
import { canonicalize, type Json, parseSafeJson } from '@assay/json';
import { type Claim, toClaimText, isClaim } from './claim.ts';
import { JWS_ALGORITHM, type JwsSigner, signText } from './jws.ts';
import { type PublicJwk, toPublicKey } from './public-key.ts';

export const VERIFY_REASONS = [
  'verified',
  'revoked',
  'signature-invalid',
  'key-not-found',
  'algorithm-unsupported',
  'content-hash-mismatch',
  'manifest-malformed',
] as const;
export type VerifyReason = (typeof VERIFY_REASONS)[number];

/** The longest manifest in characters. */
export const MANIFEST_MAX = 128 * 1024;

const TYPE = 'assay-manifest+jws';
const PARTS = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;
const KID = /^[0-9a-f]{64}$/;

/** A well-formed manifest whose signature is not verified yet. */
interface ParsedManifest {
  kid: string;
  claim: Claim;
}

export interface Verified {
  reason: VerifyReason;
  /** Null unless the signature is valid. */
  signed: ParsedManifest | null;
}

/** Signs a claim with the key named `kid`. */
export function signManifest(claim: Claim, key: JwsSigner): Promise<string> {
  return signText(toClaimText(claim), TYPE, key);
}

/** Checks form, algorithm, key and signature, in this order; `findKey` returns the public key of a kid. */
export async function verifyManifest(
  manifest: string,
  findKey: (kid: string) => Promise<PublicJwk | null>,
): Promise<Verified> {
  const read = readManifest(manifest);
  if (typeof read === 'string') return { reason: read, signed: null };
  const key = await findKey(read.kid);
  if (!key) return { reason: 'key-not-found', signed: null };
  try {
    await compactVerify(manifest, toPublicKey(key), { algorithms: [JWS_ALGORITHM] });
  } catch {
    return { reason: 'signature-invalid', signed: null };
  }
  return { reason: 'verified', signed: read };
}

/** The claim and the kid, or the reason of the refusal. */
export function readManifest(manifest: string): ParsedManifest | VerifyReason {
  if (manifest.length > MANIFEST_MAX) return 'manifest-malformed';
  const [, first = '', second = '', third = ''] = PARTS.exec(manifest) ?? [];
  const [header, claim] = [parseCanonicalObject(first), parseCanonicalObject(second)];
  if (header === null || claim === null || decodeBytes(third) === null) return 'manifest-malformed';
  const { alg, crit, b64, kid, typ } = header as Record<string, Json | undefined>;
  // Critical extensions are not supported.
  if (alg !== JWS_ALGORITHM || crit !== undefined || b64 !== undefined)
    return 'algorithm-unsupported';
  if (typ !== TYPE || !isClaim(claim)) return 'manifest-malformed';
  if (typeof kid !== 'string' || !KID.test(kid)) return 'key-not-found';
  return { kid, claim: claim as unknown as Claim };
}

/** Decodes base64url; null for any text but the canonical one of its bytes, since a manifest has one form. */
function decodeBytes(part: string): Buffer | null {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.length > 0 && bytes.toString('base64url') === part ? bytes : null;
}

/** Parses the canonical JSON text of an object; null for anything else. */
function parseCanonicalObject(part: string): Json | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(decodeBytes(part) ?? undefined);
    const value = parseSafeJson(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && canonicalize(value) === text ? value : null;
  } catch {
    return null;
  }
}
