// Verifies manifests: stored ones, and those that a caller presents (document 3, section 4.6).
import type { Platform } from '../../../platform/platform.ts';
import { type Assertions, type Claim, createClaim } from '../../../domain/provenance/claim.ts';
import { verifyLegacyManifest } from '../../../domain/provenance/legacy-manifest.ts';
import { type Verified, verifyManifest } from '../../../domain/provenance/manifest.ts';
import { type RecordFacts, decideManifestVerdict } from '../../../domain/provenance/verdict.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import { loadPublicKey } from '../../c2pa-kms/key-registry.service.ts';
import type { ManifestDocument } from './manifests.model.ts';
import type { ManifestVerdict, TextVerdict } from './manifests.schemas.ts';
import type { Context } from '../../../platform/context.ts';

/** Verifies a stored manifest. @throws AppError `NOT_FOUND` */
export async function verifyRecord(
  { platform, tenant: { organizationId, workspaceId } }: Context,
  id: string,
  contentHash: string | undefined,
): Promise<ManifestVerdict> {
  const where = { organizationId, ...(workspaceId !== null && { workspaceId }), _id: id };
  const manifest = await findOr404(
    platform.models.manifests.findOne(where).lean<ManifestDocument>(),
  );
  const verified = await verifyStored(platform, manifest);
  const reason = decideManifestVerdict({
    verified,
    record: toRecordFacts(manifest),
    contentHash,
  });
  return { _id: manifest._id, verified: reason === 'verified', reason };
}

/** Verifies a manifest that a caller presents, of any organisation: holding its text is enough. */
export async function verifyText(
  platform: Platform,
  text: string,
  contentHash: string | undefined,
): Promise<TextVerdict> {
  const verified = await verifyManifest(text, findKey(platform));
  const record = verified.signed && (await findRecord(platform, verified.signed.claim));
  const reason = decideManifestVerdict({
    verified,
    record: record && toRecordFacts(record),
    contentHash,
  });
  const { kid = null, claim = null } = verified.signed ?? {};
  return { verified: reason === 'verified', reason, signerKid: kid, claim };
}

const findKey = (platform: Platform) => (kid: string) => loadPublicKey(platform, kid);

/** Verifies a stored manifest by the algorithm that it names. */
async function verifyStored(platform: Platform, manifest: ManifestDocument): Promise<Verified> {
  const { signature, signatureAlg } = manifest;
  if (signatureAlg === 'ecdsa-p256-jws') return verifyManifest(signature, findKey(platform));
  if (signatureAlg !== 'hmac-sha256') return { reason: 'algorithm-unsupported', signed: null };
  const claim = createClaim(toRecordFacts(manifest), JSON.parse(manifest.assertions) as Assertions);
  return verifyLegacyManifest(signature, claim, platform.config.ASSAY_SIGNER_HMAC_KEY ?? null);
}

/** Finds the record of a claim with a valid signature, in the organisation that the claim names. */
function findRecord(
  { models }: Platform,
  { organizationId, traceId, label }: Claim,
): Promise<ManifestDocument | null> {
  return models.manifests.findOne({ organizationId, traceId, label }).lean<ManifestDocument>();
}

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
