// Deletes an organisation: access ends in one transaction, records are erased later (docs/guides/erasure.md).
import type { Model } from 'mongoose';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant, User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { AuditService } from '../../audit/audit.service.ts';
import type { MembershipService } from '../memberships/memberships.service.ts';
import type { OrganizationEndService } from './organization-end.service.ts';
import type { OrganizationDeletionDocument } from './organization-deletions.model.ts';
import type { DeletedOrganization } from '../organization.schemas.ts';

/** Empties decisions and hides them; their entries stay. */
interface DecisionRemoval {
  remove(tenant: Tenant, ids: readonly string[], cause: 'purge'): Promise<unknown>;
}

interface Deps {
  memberships: MembershipService;
  organizationEnd: OrganizationEndService;
  bulk: DecisionRemoval;
  audit: AuditService;
}

/** Collections that are append-only or needed to verify the chains; all others of the organisation are emptied. */
const RETAINED = new Set([
  'ledger',
  'traces',
  'auditRows',
  'auditEntries',
  'cursors',
  'organizationDeletions',
  'logs',
  'logTiles',
  'logHeads',
]);
const BATCH = 500;
/** Time after which no request from before the deletion is running, unless its instance was stopped. */
const SETTLED_MS = 3600 * 1000;

export function createOrganizationDeletionService(
  platform: Pick<Platform, 'models' | 'clock' | 'logger' | 'ledger' | 'keyStore'>,
  deps: Deps,
) {
  const { models, clock, logger, ledger, keyStore } = platform;
  const { memberships, organizationEnd, bulk, audit } = deps;

  async function eraseDecisions(organizationId: string): Promise<void> {
    const tenant = toSystemTenant(organizationId);
    for (;;) {
      const found = await models.traces
        .find({ organizationId, deletedAt: null }, '_id')
        .limit(BATCH)
        .lean();
      if (found.length === 0) return;
      await bulk.remove(
        tenant,
        found.map(({ _id }) => String(_id)),
        'purge',
      );
    }
  }

  async function eraseRecords(organizationId: string): Promise<void> {
    for (const [name, model] of Object.entries(models) as unknown as [
      string,
      Model<{ organizationId: string }>,
    ][])
      if (!RETAINED.has(name) && model.schema.path('organizationId'))
        await model.deleteMany({ organizationId });
  }

  async function erase({
    _id,
    organizationId: owner,
    requestedAt,
    repeatedAt = requestedAt,
  }: OrganizationDeletionDocument): Promise<void> {
    const organizationId = owner.toHexString();
    await eraseDecisions(organizationId);
    await ledger.attestations.erase(organizationId);
    await eraseRecords(organizationId);
    await keyStore.destroyAll(organizationId);
    const isSealed = await audit.erase(organizationId);
    const now = clock.now();
    if (isSealed && now.getTime() - repeatedAt.getTime() > SETTLED_MS)
      await models.organizationDeletions.updateOne(
        { _id, organizationId },
        { $set: { erasedAt: now } },
      );
  }

  /** @throws AppError `FORBIDDEN` when the user is no longer an active owner */
  async function requireOwnership(organizationId: string, userId: string): Promise<void> {
    const own = await memberships.findMembership(organizationId, userId);
    if (own?.role !== 'owner' || !own.isActive) throw new AppError('FORBIDDEN');
  }

  return {
    /**
     * Deletes the organisation: members, sessions, keys and invitations end at once.
     * @throws AppError `VALIDATION_ERROR` when `name` is not the organisation's, `FORBIDDEN` when the caller is no
     * longer an owner
     */
    async delete(
      { organizationId }: Tenant,
      { userId }: User,
      { name }: { name: string },
    ): Promise<DeletedOrganization> {
      await memberships.lockOrganization(organizationId);
      await requireOwnership(organizationId, userId);
      if (!(await models.organizations.exists({ _id: organizationId, name })))
        throw new AppError('VALIDATION_ERROR', 'name: not the name of this organisation');
      await organizationEnd.endOrganization(organizationId);
      return { _id: organizationId, deleted: true };
    },

    /** Erases once more what was erased since an instance was stopped that has gone on now. */
    async repeatErasures(since: Date): Promise<void> {
      const $set = { erasedAt: null, repeatedAt: clock.now() };
      await models.organizationDeletions
        .updateMany({ $or: [{ erasedAt: null }, { erasedAt: { $gte: since } }] }, { $set })
        .setOptions({ crossTenant: true });
    },

    /** Erases the records of deleted organisations; repeats it until no running request can add records. */
    async eraseDeleted(): Promise<void> {
      const waiting = await models.organizationDeletions
        .find({ erasedAt: null }, null, { crossTenant: true, sort: { requestedAt: 1 } })
        .lean<OrganizationDeletionDocument[]>();
      for (const deletion of waiting)
        await erase(deletion).catch((error: unknown) =>
          logger.error(
            { err: error, organizationId: deletion.organizationId },
            'a deleted organisation cannot be erased yet; the others are',
          ),
        );
    },
  };
}
export type OrganizationDeletionService = ReturnType<typeof createOrganizationDeletionService>;

function toSystemTenant(organizationId: string): Tenant {
  const actor = { kind: 'system', id: null } as const;
  return {
    organizationId,
    workspaceId: null,
    defaultWorkspaceId: organizationId,
    plan: 'custom',
    actor,
    agentIds: null,
  };
}
