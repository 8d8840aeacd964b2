// Signs, stores and revokes provenance manifests (document 3, section 4.6); `verification.service.ts` verifies them.
import { findOrganizationSlug } from '../../../identity/organization/organization-facts.service.ts';
import { queueAttestation } from '../../hash-chain/attestations.service.ts';
import { findDecision } from '../../../decisions/traces/decision-lookup.service.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import type { Page } from '../../../domain/page.ts';
import { type Assertions, createClaim } from '../../../domain/provenance/claim.ts';
import { readManifest, signManifest } from '../../../domain/provenance/manifest.ts';
import { sha256Hex } from '../../../domain/record/chain.ts';
import { AppError } from '../../../errors.ts';
import {
  AFTER,
  findOr404,
  insertOne,
  type Listed,
  listPage,
} from '../../../platform/mongo/queries.ts';
import { loadActiveKey } from '../../c2pa-kms/signer.service.ts';
import { resolveAssertions } from '../settings/provenance-settings.service.ts';
import type { ManifestDocument, RevocationReason } from './manifests.model.ts';
import type { ManifestInput, ManifestRecord } from './manifests.schemas.ts';
import type { Context, UserContext } from '../../../platform/context.ts';

/** A signed manifest that is not stored yet. */
type SignedManifest = Pick<
  ManifestDocument,
  | 'workspaceId'
  | 'traceId'
  | 'label'
  | 'contentHash'
  | 'signatureAlg'
  | 'signature'
  | 'signerKid'
  | 'signerMode'
  | 'issuer'
  | 'assertions'
  | 'issuedAt'
>;

export async function listManifests(
  { platform, tenant }: Context,
  page: Page,
): Promise<Listed<ManifestRecord>> {
  const { items, total } = await listPage(platform.models.manifests, toVisibleFilter(tenant), page);
  return { items: items.map(toRecord), total };
}

/** @throws AppError `NOT_FOUND` */
export async function loadManifest(ctx: Context, id: string): Promise<ManifestRecord> {
  return toRecord(await findManifest(ctx, id));
}

/**
 * Runs before the transaction, since a key management service may be called.
 * @throws AppError `NOT_FOUND`, `ALREADY_EXISTS`, `VALIDATION_ERROR`, `CONFIG_ERROR`
 */
export async function prepareManifest(ctx: Context, input: ManifestInput): Promise<SignedManifest> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  const { traceId, label, contentHash } = input;
  const workspaceId = await findWorkspaceId(ctx, traceId);
  if (await platform.models.manifests.exists({ organizationId, traceId, label }))
    throw new AppError('ALREADY_EXISTS', 'The decision has a manifest with this label');
  const issuer = await findOr404(findOrganizationSlug(platform, organizationId));
  const assertions = await resolveAssertions(ctx, input.assertions);
  const key = await loadActiveKey(platform);
  const issuedAt = platform.clock.now();
  const facts = { organizationId, issuer, traceId, label, contentHash };
  const claim = createClaim({ ...facts, issuedAt: issuedAt.toISOString() }, assertions);
  const signature = await signManifest(claim, key);
  if (typeof readManifest(signature) === 'string')
    throw new AppError('VALIDATION_ERROR', 'assertions: nested too deeply');
  return {
    ...facts,
    workspaceId,
    signatureAlg: 'ecdsa-p256-jws',
    signature,
    signerKid: key.kid,
    signerMode: key.mode,
    assertions: JSON.stringify(assertions),
    issuedAt,
  };
}

/** @throws AppError `ALREADY_EXISTS` */
export async function storeManifest(
  ctx: UserContext,
  signed: SignedManifest,
): Promise<ManifestRecord> {
  const { platform, tenant, user } = ctx;
  const { organizationId } = tenant;
  const row = { ...signed, organizationId, issuedBy: user.userId };
  const kept = await insertOne(platform.models.manifests, row);
  await attest(ctx, kept, 'issued');
  return toRecord(kept);
}

/** Revokes permanently. @throws AppError `NOT_FOUND`; `INVALID_OPERATION` when it is revoked already */
export async function revokeManifest(
  ctx: Context,
  id: string,
  reason: RevocationReason,
): Promise<ManifestRecord> {
  const { platform, tenant } = ctx;
  const { revokedAt } = await findManifest(ctx, id);
  if (revokedAt) throw new AppError('INVALID_OPERATION', 'The manifest is revoked already');
  const where = { ...toVisibleFilter(tenant), _id: id, revokedAt: null };
  const change = { $set: { revokedAt: platform.clock.now(), revocationReason: reason } };
  const query = platform.models.manifests.findOneAndUpdate(where, change, AFTER);
  const revoked = await findOr404(query.lean<ManifestDocument>());
  await attest(ctx, revoked, 'revoked');
  return toRecord(revoked);
}

function findManifest({ platform, tenant }: Context, id: string): Promise<ManifestDocument> {
  const query = platform.models.manifests.findOne({ ...toVisibleFilter(tenant), _id: id });
  return findOr404(query.lean<ManifestDocument>());
}

/** @throws AppError `NOT_FOUND` */
async function findWorkspaceId({ platform, tenant }: Context, traceId: string): Promise<string> {
  const decision = await findDecision(platform, toVisibleFilter(tenant), traceId);
  if (!decision || decision.deletedAt) throw new AppError('NOT_FOUND', 'Decision not found');
  return decision.workspaceId;
}

/** Queues the attestation, in the transaction of the change. */
async function attest(
  { platform, tenant: { actor } }: Context,
  { _id, organizationId, workspaceId, signature }: ManifestDocument,
  status: 'issued' | 'revoked',
): Promise<void> {
  await queueAttestation(platform, {
    kind: 'manifest',
    organizationId: organizationId.toHexString(),
    workspaceId,
    actor,
    manifestId: _id.toHexString(),
    status,
    digest: sha256Hex(signature),
  });
}

/** Filter for the tenant's workspace, or for all. */
function toVisibleFilter({ organizationId, workspaceId }: Tenant) {
  return { organizationId, ...(workspaceId !== null && { workspaceId }) };
}

function toRecord(manifest: ManifestDocument): ManifestRecord {
  const assertions = JSON.parse(manifest.assertions) as Assertions;
  return { ...manifest, id: manifest._id, assertions };
}
