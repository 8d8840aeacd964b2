// The verdict of a verification from a manifest's signature, its record and the content (document 3, section 4.6).
import type { Claim, ClaimFacts } from './claim.ts';
import type { Verified, VerifyReason } from './manifest.ts';

/** The stored record of a manifest. */
export interface RecordFacts extends ClaimFacts {
  revokedAt: Date | null;
}

interface Evidence {
  verified: Verified;
  /** Null: there is no record, for example because the organisation was deleted. */
  record: RecordFacts | null;
  /** The hex digest of the content at hand; undefined: the content is not checked. */
  contentHash: string | undefined;
}

/** A revocation outranks everything; a record that contradicts the signed claim counts as an invalid signature. */
export function decideManifestVerdict({ verified, record, contentHash }: Evidence): VerifyReason {
  if (record?.revokedAt) return 'revoked';
  if (!verified.signed) return verified.reason;
  const { claim } = verified.signed;
  if (record && !isSameClaim(record, claim)) return 'signature-invalid';
  const isOther = contentHash !== undefined && contentHash !== claim.contentHash;
  return isOther ? 'content-hash-mismatch' : 'verified';
}

function isSameClaim(record: RecordFacts, claim: Claim): boolean {
  return (
    record.organizationId === claim.organizationId &&
    record.issuer === claim.issuer &&
    record.traceId === claim.traceId &&
    record.label === claim.label &&
    record.contentHash === claim.contentHash &&
    record.issuedAt === claim.issuedAt
  );
}
