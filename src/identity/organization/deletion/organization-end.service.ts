// Ends an organisation: its members, sessions, keys and invitations end at once (docs/guides/erasure.md).
import type { Platform } from '../../../platform/platform.ts';
import { insertOne } from '../../../platform/mongo/queries.ts';
import type { MembershipService } from '../memberships/memberships.service.ts';
import type { OrganizationDocument } from '../organization.model.ts';

interface Deps {
  /** Cancels what an organisation pays. */
  cancellations: { queue(subscription: OrganizationDocument['subscription']): Promise<void> };
  memberships: MembershipService;
}

export function createOrganizationEndService(
  platform: Pick<Platform, 'models' | 'clock' | 'onCommit' | 'caches'>,
  deps: Deps,
) {
  const { models, clock, onCommit, caches } = platform;
  const { memberships, cancellations } = deps;

  /** Removes the members, and the accounts of those in no other organisation; no next sign-in enters it. */
  async function removeMembers(organizationId: string): Promise<void> {
    const people = await memberships.removeAll(organizationId);
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

  async function cancelSubscription(organizationId: string): Promise<void> {
    const organization = await models.organizations
      .findById(organizationId, 'subscription')
      .lean<OrganizationDocument>();
    if (organization) await cancellations.queue(organization.subscription);
  }

  return {
    /** Its records are erased afterwards. Call it in a transaction, after `memberships.lockOrganization`. */
    async endOrganization(organizationId: string): Promise<void> {
      const now = clock.now();
      await cancelSubscription(organizationId);
      await models.organizations.deleteOne({ _id: organizationId });
      await models.sessions.updateMany(
        { organizationId, revokedAt: null },
        { $set: { revokedAt: now } },
      );
      await removeMembers(organizationId);
      await models.invitations.deleteMany({ organizationId });
      await models.workspaceKeys.deleteMany({ organizationId });
      await models.scimTokens.deleteMany({ organizationId });
      await models.ssoDomains.deleteMany({ organizationId });
      await models.agents.deleteMany({ organizationId });
      await insertOne(models.organizationDeletions, { organizationId, requestedAt: now });
      onCommit(() => caches.forget(organizationId));
    },
  };
}
export type OrganizationEndService = ReturnType<typeof createOrganizationEndService>;
