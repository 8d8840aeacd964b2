// Verifies manifests: stored ones, and those that a caller presents (document 3, section 4.6).
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { type Assertions, type Claim, createClaim } from '../../../domain/provenance/claim.ts';
import { verifyLegacyManifest } from '../../../domain/provenance/legacy-manifest.ts';
import { type Verified, verifyManifest } from '../../../domain/provenance/manifest.ts';
import { type RecordFacts, decideManifestVerdict } from '../../../domain/provenance/verdict.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import type { KeyRegistry } from '../../c2pa-kms/key-registry.service.ts';
import type { ManifestDocument } from './manifests.model.ts';
import type { ManifestVerdict, TextVerdict } from './manifests.schemas.ts';

interface Deps {
  keys: KeyRegistry;
}

export function createVerificationService(
  { models, config }: Pick<Platform, 'models' | 'config'>,
  { keys }: Deps,
) {
  /** Verifies a stored manifest by the algorithm that it names. */
  async function verifyStored(manifest: ManifestDocument): Promise<Verified> {
    const { signature, signatureAlg } = manifest;
    if (signatureAlg === 'ecdsa-p256-jws') return verifyManifest(signature, keys.loadPublicKey);
    if (signatureAlg !== 'hmac-sha256') return { reason: 'algorithm-unsupported', signed: null };
    const claim = createClaim(
      toRecordFacts(manifest),
      JSON.parse(manifest.assertions) as Assertions,
    );
    return verifyLegacyManifest(signature, claim, config.ASSAY_SIGNER_HMAC_KEY ?? null);
  }

  /** Finds the record of a claim with a valid signature, in the organisation that the claim names. */
  function findRecord({ organizationId, traceId, label }: Claim): Promise<ManifestDocument | null> {
    return models.manifests.findOne({ organizationId, traceId, label }).lean<ManifestDocument>();
  }

  return {
    /** Verifies a stored manifest. @throws AppError `NOT_FOUND` */
    async verify(
      { organizationId, workspaceId }: Tenant,
      id: string,
      contentHash: string | undefined,
    ): Promise<ManifestVerdict> {
      const where = { organizationId, ...(workspaceId !== null && { workspaceId }), _id: id };
      const manifest = await findOr404(models.manifests.findOne(where).lean<ManifestDocument>());
      const verified = await verifyStored(manifest);
      const reason = decideManifestVerdict({
        verified,
        record: toRecordFacts(manifest),
        contentHash,
      });
      return { _id: manifest._id, verified: reason === 'verified', reason };
    },

    /** Verifies a manifest that a caller presents, of any organisation: holding its text is enough. */
    async verifyText(text: string, contentHash: string | undefined): Promise<TextVerdict> {
      const verified = await verifyManifest(text, keys.loadPublicKey);
      const record = verified.signed && (await findRecord(verified.signed.claim));
      const reason = decideManifestVerdict({
        verified,
        record: record && toRecordFacts(record),
        contentHash,
      });
      const { kid = null, claim = null } = verified.signed ?? {};
      return { verified: reason === 'verified', reason, signerKid: kid, claim };
    },
  };
}
export type VerificationService = ReturnType<typeof createVerificationService>;

function toRecordFacts(manifest: ManifestDocument): RecordFacts {
  const { organizationId, issuer, traceId, label, contentHash, issuedAt, revokedAt } = manifest;
  return {
    organizationId: organizationId.toHexString(),
    issuer,
    traceId,
    label,
    contentHash,
    issuedAt: issuedAt.toISOString(),
    revokedAt,
  };
}
