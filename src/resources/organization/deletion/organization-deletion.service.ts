// The end of an organisation: access ends in one transaction, what it stored is erased afterwards (docs/organization-deletion.md).
import type { Model } from 'mongoose';
import type { Platform } from '../../../composition/platform.ts';
import type { Tenant, User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { AuditService } from '../../audit/audit.service.ts';
import type { BulkService } from '../../traces/bulk/bulk.service.ts';
import type { MembershipService } from '../memberships/memberships.service.ts';
import type { OrganizationDeletionDocument } from './organization-deletions.model.ts';

type Deps = Pick<Platform, 'models' | 'clock' | 'onCommit' | 'caches'> & {
  memberships: MembershipService;
  bulk: BulkService;
  audit: AuditService;
};

/** Append-only, or what keeps the chains working; every other collection that names the organisation is emptied. */
const KEPT = new Set([
  'ledger',
  'traces',
  'auditRows',
  'auditEntries',
  'cursors',
  'organizationDeletions',
]);
const AT_ONCE = 500;
/** By then no request that was let in before is under way on any instance. */
const SETTLED_MS = 3600 * 1000;

export function createOrganizationDeletionService(deps: Deps) {
  const { models, memberships, bulk, audit, clock, onCommit, caches } = deps;

  /** People who belong nowhere else go with it; nobody is led to it by the next sign-in. */
  async function releasePeople(organizationId: string): Promise<void> {
    const people = await models.memberships.distinct('userId', { organizationId });
    await models.memberships.deleteMany({ organizationId });
    const elsewhere = await models.memberships
      .find({ userId: { $in: people } }, 'userId', { crossTenant: true })
      .lean<{ userId: { toHexString(): string } }[]>();
    const staying = new Set(elsewhere.map(({ userId }) => userId.toHexString()));
    await models.users.deleteMany({
      _id: { $in: people.filter((userId) => !staying.has(userId.toHexString())) },
    });
    await models.users.updateMany(
      { lastOrganizationId: organizationId },
      { $set: { lastOrganizationId: null } },
    );
  }

  async function emptyDecisions(organizationId: string): Promise<void> {
    const tenant = systemOf(organizationId);
    for (;;) {
      const found = await models.traces
        .find({ organizationId, deletedAt: null }, '_id')
        .limit(AT_ONCE)
        .lean();
      if (found.length === 0) return;
      await bulk.remove(
        tenant,
        found.map(({ _id }) => String(_id)),
        'purge',
      );
    }
  }

  async function emptyRecords(organizationId: string): Promise<void> {
    for (const [name, model] of Object.entries(models) as unknown as [
      string,
      Model<{ organizationId: string }>,
    ][])
      if (!KEPT.has(name) && model.schema.path('organizationId'))
        await model.deleteMany({ organizationId });
  }

  async function erase({
    _id,
    organizationId: owner,
    requestedAt,
  }: OrganizationDeletionDocument): Promise<void> {
    const organizationId = owner.toHexString();
    await emptyDecisions(organizationId);
    await emptyRecords(organizationId);
    const isSealed = await audit.erase(organizationId);
    const now = clock.now();
    if (isSealed && now.getTime() - requestedAt.getTime() > SETTLED_MS)
      await models.organizationDeletions.updateOne(
        { _id, organizationId },
        { $set: { erasedAt: now } },
      );
  }

  return {
    /**
     * At once: nobody is a member any more, no session, key or invitation is good for anything.
     * @throws AppError `VALIDATION_ERROR` when `name` is not the organisation's, `FORBIDDEN` for whoever is no owner by now
     */
    async delete({ organizationId }: Tenant, { userId }: User, { name }: { name: string }) {
      await memberships.lock(organizationId);
      if ((await memberships.find(organizationId, userId))?.role !== 'owner')
        throw new AppError('FORBIDDEN');
      const deleted = await models.organizations
        .findOneAndDelete({ _id: organizationId, name })
        .lean();
      if (!deleted)
        throw new AppError('VALIDATION_ERROR', 'name: not the name of this organisation');
      const now = clock.now();
      await models.sessions.updateMany(
        { organizationId, revokedAt: null },
        { $set: { revokedAt: now } },
      );
      await releasePeople(organizationId);
      await models.invitations.deleteMany({ organizationId });
      await models.workspaceKeys.deleteMany({ organizationId });
      await models.scimTokens.deleteMany({ organizationId });
      await models.ssoDomains.deleteMany({ organizationId });
      await models.agents.deleteMany({ organizationId });
      await models.organizationDeletions.create([{ organizationId, requestedAt: now }]);
      onCommit(() => caches.forget(organizationId));
      return { _id: organizationId, deleted: true as const };
    },

    /** Erases what deleted organisations stored; repeated until nothing can follow. */
    async eraseDeleted(): Promise<void> {
      const waiting = await models.organizationDeletions
        .find({ erasedAt: null }, null, { crossTenant: true, sort: { requestedAt: 1 } })
        .lean<OrganizationDeletionDocument[]>();
      for (const deletion of waiting) await erase(deletion);
    },
  };
}
export type OrganizationDeletionService = ReturnType<typeof createOrganizationDeletionService>;

function systemOf(organizationId: string): Tenant {
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
