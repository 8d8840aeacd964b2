// What verification tells of a manifest, from what its signature, its record and the content say (document 3, section 4.6).
import type { Claim, ClaimFacts } from './claim.ts';
import type { Verified, VerifyReason } from './manifest.ts';

/** What the service has on record of a manifest. */
export interface RecordFacts extends ClaimFacts {
  revokedAt: Date | null;
}

interface Evidence {
  verified: Verified;
  /** Null: no record of it is here, as after the end of its organisation. */
  record: RecordFacts | null;
  /** Of the content at hand, in hex; undefined: nobody asks. */
  contentHash: string | undefined;
}

/** A revocation outranks everything; a record that says something else than was signed is as good as unsigned. */
export function manifestVerdict({ verified, record, contentHash }: Evidence): VerifyReason {
  if (record?.revokedAt) return 'revoked';
  if (!verified.signed) return verified.reason;
  const { claim } = verified.signed;
  if (record && !agrees(record, claim)) return 'signature-invalid';
  const isOther = contentHash !== undefined && contentHash !== claim.contentHash;
  return isOther ? 'content-hash-mismatch' : 'verified';
}

function agrees(record: RecordFacts, claim: Claim): boolean {
  return (
    record.organizationId === claim.organizationId &&
    record.issuer === claim.issuer &&
    record.traceId === claim.traceId &&
    record.label === claim.label &&
    record.contentHash === claim.contentHash &&
    record.issuedAt === claim.issuedAt
  );
}
