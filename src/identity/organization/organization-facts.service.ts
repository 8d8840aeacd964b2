// The one way by which other resources read an organisation: its name, plan, subscription, and directory settings.
import type { mongo, Types } from 'mongoose';
import { perInstance } from '../../platform/per-instance.ts';
import type { Plan } from '../../domain/identity/plans.ts';
import type { Platform } from '../../platform/platform.ts';
import type { OrganizationDocument } from './organization.model.ts';

export type OrganizationSubscription = OrganizationDocument['subscription'];

/** How a directory's changes are applied, and the dates that its groups show. */
export type DirectorySettings = Pick<
  OrganizationDocument,
  'roleMapping' | 'endSessionsOnScimDeactivate' | 'createdAt' | 'updatedAt'
>;

type Id = string | Types.ObjectId;

interface IdPage {
  limit: number;
  /** Excludes younger organisations. */
  createdBefore?: Date;
}

/** Every answer is null when the organisation is gone. */
export function createOrganizationFacts({
  models,
}: {
  models: Pick<Platform['models'], 'organizations'>;
}) {
  const { organizations } = models;

  async function findSubscription(
    organizationId: Id,
    session?: mongo.ClientSession,
  ): Promise<OrganizationSubscription | null> {
    const found = await organizations
      .findById(organizationId, 'subscription', session ? { session } : {})
      .lean<{ subscription: OrganizationSubscription }>();
    return found && found.subscription;
  }

  return {
    findSubscription,

    /** Finds the whole document; what it is called and pays has its own reader below. */
    findOrganization(organizationId: Id): Promise<OrganizationDocument | null> {
      return organizations.findById(organizationId).lean<OrganizationDocument>();
    },

    async hasOrganization(organizationId: Id): Promise<boolean> {
      return (await organizations.exists({ _id: organizationId })) !== null;
    },

    async findName(organizationId: Id): Promise<string | null> {
      const found = await organizations.findById(organizationId, 'name').lean<{ name: string }>();
      return found && found.name;
    },

    async findSlug(organizationId: Id): Promise<string | null> {
      const found = await organizations.findById(organizationId, 'slug').lean<{ slug: string }>();
      return found && found.slug;
    },

    async findPlan(organizationId: Id): Promise<Plan | null> {
      return (await findSubscription(organizationId))?.plan ?? null;
    },

    /** Keeps the organisations that are on one of the plans. */
    async filterByPlan(
      organizationIds: readonly string[],
      plans: readonly Plan[],
    ): Promise<ReadonlySet<string>> {
      const where = { _id: { $in: organizationIds }, 'subscription.plan': { $in: plans } };
      const found = await organizations.find(where, '_id').lean<{ _id: Types.ObjectId }[]>();
      return new Set(found.map(({ _id }) => _id.toHexString()));
    },

    findDirectorySettings(organizationId: Id): Promise<DirectorySettings | null> {
      return organizations
        .findById(organizationId, 'roleMapping endSessionsOnScimDeactivate createdAt updatedAt')
        .lean<DirectorySettings>();
    },

    /** Lists ids in ascending order, from the first beyond `after`; null: from the start. */
    async listIdsAfter(after: string | null, { limit, createdBefore }: IdPage): Promise<string[]> {
      const where = {
        ...(after !== null && { _id: { $gt: after } }),
        ...(createdBefore && { createdAt: { $lt: createdBefore } }),
      };
      const found = organizations.find(where, '_id').sort({ _id: 1 }).limit(limit);
      return (await found.lean<{ _id: Types.ObjectId }[]>()).map(({ _id }) => _id.toHexString());
    },
  };
}
export const openOrganizationFacts = perInstance(createOrganizationFacts);
export type OrganizationFacts = ReturnType<typeof createOrganizationFacts>;
