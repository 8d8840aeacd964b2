// Deletes an organisation: access ends in one transaction, records are erased later (docs/guides/erasure.md).
import type { Model } from 'mongoose';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import { eraseAuditLog } from '../../audit/audit.service.ts';
import { lockOrganization, findMembership } from '../memberships/memberships.service.ts';
import { endOrganization } from './organization-end.service.ts';
import type { OrganizationDeletionDocument } from './organization-deletions.model.ts';
import type { DeletedOrganization } from '../organization.schemas.ts';
import type { UserContext } from '../../../platform/context.ts';
import { getUpperRooms } from '../../upper-rooms.ts';

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

/**
 * Deletes the organisation: members, sessions, keys and invitations end at once.
 * @throws AppError `VALIDATION_ERROR` when `name` is not the organisation's, `FORBIDDEN` when the caller is no
 * longer an owner
 */
export async function deleteOrganization(
  { platform, tenant: { organizationId }, user: { userId } }: UserContext,
  { name }: { name: string },
): Promise<DeletedOrganization> {
  await lockOrganization(platform, organizationId);
  await requireOwnership(platform, organizationId, userId);
  if (!(await platform.models.organizations.exists({ _id: organizationId, name })))
    throw new AppError('VALIDATION_ERROR', 'name: not the name of this organisation');
  await endOrganization(platform, organizationId);
  return { _id: organizationId, deleted: true };
}

/** Erases once more what was erased since an instance was stopped that has gone on now. */
export async function repeatErasures({ clock, models }: Platform, since: Date): Promise<void> {
  const $set = { erasedAt: null, repeatedAt: clock.now() };
  await models.organizationDeletions
    .updateMany({ $or: [{ erasedAt: null }, { erasedAt: { $gte: since } }] }, { $set })
    .setOptions({ crossTenant: true });
}

/** Erases the records of deleted organisations; repeats it until no running request can add records. */
export async function eraseDeletedOrganizations(platform: Platform): Promise<void> {
  const waiting = await platform.models.organizationDeletions
    .find({ erasedAt: null }, null, { crossTenant: true, sort: { requestedAt: 1 } })
    .lean<OrganizationDeletionDocument[]>();
  for (const deletion of waiting)
    await erase(platform, deletion).catch((error: unknown) =>
      platform.logger.error(
        { err: error, organizationId: deletion.organizationId },
        'a deleted organisation cannot be erased yet; the others are',
      ),
    );
}

async function eraseDecisions(platform: Platform, organizationId: string): Promise<void> {
  const tenant = toSystemTenant(organizationId);
  for (;;) {
    const found = await platform.models.traces
      .find({ organizationId, deletedAt: null }, '_id')
      .limit(BATCH)
      .lean();
    if (found.length === 0) return;
    await getUpperRooms(platform).removeDecisions(
      tenant,
      found.map(({ _id }) => String(_id)),
      'purge',
    );
  }
}

async function eraseRecords({ models }: Platform, organizationId: string): Promise<void> {
  for (const [name, model] of Object.entries(models) as unknown as [
    string,
    Model<{ organizationId: string }>,
  ][])
    if (!RETAINED.has(name) && model.schema.path('organizationId'))
      await model.deleteMany({ organizationId });
}

async function erase(
  platform: Platform,
  {
    _id,
    organizationId: owner,
    requestedAt,
    repeatedAt = requestedAt,
  }: OrganizationDeletionDocument,
): Promise<void> {
  const organizationId = owner.toHexString();
  await eraseDecisions(platform, organizationId);
  await platform.ledger.attestations.erase(organizationId);
  await eraseRecords(platform, organizationId);
  await platform.keyStore.destroyAll(organizationId);
  const isSealed = await eraseAuditLog(platform, organizationId);
  const now = platform.clock.now();
  if (isSealed && now.getTime() - repeatedAt.getTime() > SETTLED_MS)
    await platform.models.organizationDeletions.updateOne(
      { _id, organizationId },
      { $set: { erasedAt: now } },
    );
}

/** @throws AppError `FORBIDDEN` when the user is no longer an active owner */
async function requireOwnership(
  platform: Platform,
  organizationId: string,
  userId: string,
): Promise<void> {
  const own = await findMembership(platform, organizationId, userId);
  if (own?.role !== 'owner' || !own.isActive) throw new AppError('FORBIDDEN');
}

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
