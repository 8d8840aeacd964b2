// The one way by which other resources read an organisation: its name, plan, subscription, and directory settings.
// Every answer is null when the organisation is gone.
import type { mongo, Types } from 'mongoose';
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

export async function findSubscription(
  { models }: Pick<Platform, 'models'>,
  organizationId: Id,
  session?: mongo.ClientSession,
): Promise<OrganizationSubscription | null> {
  const found = await models.organizations
    .findById(organizationId, 'subscription', session ? { session } : {})
    .lean<{ subscription: OrganizationSubscription }>();
  return found && found.subscription;
}

/** Finds the whole document; what it is called and pays has its own reader below. */
export function findOrganization(
  { models }: Platform,
  organizationId: Id,
): Promise<OrganizationDocument | null> {
  return models.organizations.findById(organizationId).lean<OrganizationDocument>();
}

export async function hasOrganization({ models }: Platform, organizationId: Id): Promise<boolean> {
  return (await models.organizations.exists({ _id: organizationId })) !== null;
}

export async function findOrganizationName(
  { models }: Platform,
  organizationId: Id,
): Promise<string | null> {
  const found = await models.organizations
    .findById(organizationId, 'name')
    .lean<{ name: string }>();
  return found && found.name;
}

export async function findOrganizationSlug(
  { models }: Platform,
  organizationId: Id,
): Promise<string | null> {
  const found = await models.organizations
    .findById(organizationId, 'slug')
    .lean<{ slug: string }>();
  return found && found.slug;
}

export async function findOrganizationPlan(
  platform: Pick<Platform, 'models'>,
  organizationId: Id,
): Promise<Plan | null> {
  return (await findSubscription(platform, organizationId))?.plan ?? null;
}

/** Keeps the organisations that are on one of the plans. */
export async function filterByPlan(
  { models }: Platform,
  organizationIds: readonly string[],
  plans: readonly Plan[],
): Promise<ReadonlySet<string>> {
  const where = { _id: { $in: organizationIds }, 'subscription.plan': { $in: plans } };
  const found = await models.organizations.find(where, '_id').lean<{ _id: Types.ObjectId }[]>();
  return new Set(found.map(({ _id }) => _id.toHexString()));
}

export function findDirectorySettings(
  { models }: Platform,
  organizationId: Id,
): Promise<DirectorySettings | null> {
  return models.organizations
    .findById(organizationId, 'roleMapping endSessionsOnScimDeactivate createdAt updatedAt')
    .lean<DirectorySettings>();
}

/** Lists ids in ascending order, from the first beyond `after`; null: from the start. */
export async function listOrganizationIds(
  { models }: Platform,
  after: string | null,
  { limit, createdBefore }: IdPage,
): Promise<string[]> {
  const where = {
    ...(after !== null && { _id: { $gt: after } }),
    ...(createdBefore && { createdAt: { $lt: createdBefore } }),
  };
  const found = models.organizations.find(where, '_id').sort({ _id: 1 }).limit(limit);
  return (await found.lean<{ _id: Types.ObjectId }[]>()).map(({ _id }) => _id.toHexString());
}
