// Ends an organisation: its members, sessions, keys and invitations end at once (docs/guides/erasure.md).
import type { Platform } from '../../../platform/platform.ts';
import { insertOne } from '../../../platform/mongo/queries.ts';
import { removeAllMemberships } from '../memberships/memberships.service.ts';
import type { OrganizationDocument } from '../organization.model.ts';
import { getUpperRooms } from '../../upper-rooms.ts';

/** Its records are erased afterwards. Call it in a transaction, after `memberships.lockOrganization`. */
export async function endOrganization(platform: Platform, organizationId: string): Promise<void> {
  const now = platform.clock.now();
  await cancelSubscription(platform, organizationId);
  await platform.models.organizations.deleteOne({ _id: organizationId });
  await platform.models.sessions.updateMany(
    { organizationId, revokedAt: null },
    { $set: { revokedAt: now } },
  );
  await removeMembers(platform, organizationId);
  await platform.models.invitations.deleteMany({ organizationId });
  await platform.models.workspaceKeys.deleteMany({ organizationId });
  await platform.models.scimTokens.deleteMany({ organizationId });
  await platform.models.ssoDomains.deleteMany({ organizationId });
  await platform.models.agents.deleteMany({ organizationId });
  await insertOne(platform.models.organizationDeletions, { organizationId, requestedAt: now });
  platform.onCommit(() => platform.caches.forget(organizationId));
}

/** Removes the members, and the accounts of those in no other organisation; no next sign-in enters it. */
async function removeMembers(platform: Platform, organizationId: string): Promise<void> {
  const people = await removeAllMemberships(platform, organizationId);
  const elsewhere = await platform.models.memberships
    .find({ userId: { $in: people } }, 'userId', { crossTenant: true })
    .lean<{ userId: { toHexString(): string } }[]>();
  const staying = new Set(elsewhere.map(({ userId }) => userId.toHexString()));
  await platform.models.users.deleteMany({
    _id: { $in: people.filter((userId) => !staying.has(userId.toHexString())) },
  });
  await platform.models.users.updateMany(
    { lastOrganizationId: organizationId },
    { $set: { lastOrganizationId: null } },
  );
}

async function cancelSubscription(platform: Platform, organizationId: string): Promise<void> {
  const organization = await platform.models.organizations
    .findById(organizationId, 'subscription')
    .lean<OrganizationDocument>();
  if (organization) await getUpperRooms(platform).queueCancellation(organization.subscription);
}
