// Signs, stores and revokes provenance manifests (document 3, section 4.6); `verification.service.ts` verifies them.
import { findOrganizationSlug } from '../../../identity/organization/organization-facts.service.ts';
import { queueAttestation } from '../../hash-chain/attestations.service.ts';
import { findDecision } from '../../../decisions/traces/decision-lookup.service.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant, User } from '../../../domain/identity/tenant.ts';
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
import type { SignerService } from '../../c2pa-kms/signer.service.ts';
import type { ProvenanceSettingsService } from '../settings/provenance-settings.service.ts';
import type { ManifestDocument, RevocationReason } from './manifests.model.ts';
import type { ManifestInput, ManifestRecord } from './manifests.schemas.ts';

interface Deps {
  signer: SignerService;
  settings: ProvenanceSettingsService;
}

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

export function createManifestService(platform: Platform, deps: Deps) {
  const { models, clock } = platform;
  const { signer, settings } = deps;

  function findManifest(tenant: Tenant, id: string): Promise<ManifestDocument> {
    const query = models.manifests.findOne({ ...toVisibleFilter(tenant), _id: id });
    return findOr404(query.lean<ManifestDocument>());
  }

  /** @throws AppError `NOT_FOUND` */
  async function findWorkspaceId(tenant: Tenant, traceId: string): Promise<string> {
    const decision = await findDecision(platform, toVisibleFilter(tenant), traceId);
    if (!decision || decision.deletedAt) throw new AppError('NOT_FOUND', 'Decision not found');
    return decision.workspaceId;
  }

  /** Queues the attestation, in the transaction of the change. */
  async function attest(
    { actor }: Tenant,
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

  return {
    async listManifests(tenant: Tenant, page: Page): Promise<Listed<ManifestRecord>> {
      const { items, total } = await listPage(models.manifests, toVisibleFilter(tenant), page);
      return { items: items.map(toRecord), total };
    },

    /** @throws AppError `NOT_FOUND` */
    async loadManifest(tenant: Tenant, id: string): Promise<ManifestRecord> {
      return toRecord(await findManifest(tenant, id));
    },

    /**
     * Runs before the transaction, since a key management service may be called.
     * @throws AppError `NOT_FOUND`, `ALREADY_EXISTS`, `VALIDATION_ERROR`, `CONFIG_ERROR`
     */
    async prepareManifest(tenant: Tenant, input: ManifestInput): Promise<SignedManifest> {
      const { organizationId } = tenant;
      const { traceId, label, contentHash } = input;
      const workspaceId = await findWorkspaceId(tenant, traceId);
      if (await models.manifests.exists({ organizationId, traceId, label }))
        throw new AppError('ALREADY_EXISTS', 'The decision has a manifest with this label');
      const issuer = await findOr404(findOrganizationSlug(platform, organizationId));
      const assertions = await settings.resolveAssertions(tenant, input.assertions);
      const key = await signer.loadActiveKey();
      const issuedAt = clock.now();
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
    },

    /** @throws AppError `ALREADY_EXISTS` */
    async storeManifest(
      tenant: Tenant,
      user: User,
      signed: SignedManifest,
    ): Promise<ManifestRecord> {
      const { organizationId } = tenant;
      const row = { ...signed, organizationId, issuedBy: user.userId };
      const kept = await insertOne(models.manifests, row);
      await attest(tenant, kept, 'issued');
      return toRecord(kept);
    },

    /** Revokes permanently. @throws AppError `NOT_FOUND`; `INVALID_OPERATION` when it is revoked already */
    async revoke(tenant: Tenant, id: string, reason: RevocationReason): Promise<ManifestRecord> {
      const { revokedAt } = await findManifest(tenant, id);
      if (revokedAt) throw new AppError('INVALID_OPERATION', 'The manifest is revoked already');
      const where = { ...toVisibleFilter(tenant), _id: id, revokedAt: null };
      const change = { $set: { revokedAt: clock.now(), revocationReason: reason } };
      const query = models.manifests.findOneAndUpdate(where, change, AFTER);
      const revoked = await findOr404(query.lean<ManifestDocument>());
      await attest(tenant, revoked, 'revoked');
      return toRecord(revoked);
    },
  };
}
export type ManifestService = ReturnType<typeof createManifestService>;

/** Filter for the tenant's workspace, or for all. */
function toVisibleFilter({ organizationId, workspaceId }: Tenant) {
  return { organizationId, ...(workspaceId !== null && { workspaceId }) };
}

function toRecord(manifest: ManifestDocument): ManifestRecord {
  const assertions = JSON.parse(manifest.assertions) as Assertions;
  return { ...manifest, id: manifest._id, assertions };
}
