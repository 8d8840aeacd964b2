// Organisations: made at registration with their default workspace, and the facts every request needs of them.
import type { Plan } from '../../domain/plans.ts';
import { AppError } from '../../errors.ts';
import type { Cache } from '../../infra/cache.ts';
import type { Models } from '../../models.ts';
import type { OrganizationDocument } from './organization.model.ts';

/** What authentication needs of an organisation. */
export interface OrganizationContext {
  plan: Plan;
  defaultWorkspaceId: string;
  scrubNationalIds: boolean;
}

interface Deps {
  models: Models;
  contexts: Cache<OrganizationContext>;
  /** Makes the cursors of the ledger's consumers, in the transaction of the registration. */
  openLedger: (organizationId: string) => Promise<void>;
  newId: () => string;
  defaultPlan: Plan;
}

const SLUG_LENGTH = 48;
const SLUG_SUFFIX = 8;

export function createOrganizationService({ models, contexts, openLedger, newId, defaultPlan }: Deps) {
  return {
    /** Makes an organisation and its default workspace; call it inside a transaction. */
    async create(name: string): Promise<{ organizationId: string; workspaceId: string }> {
      const [organizationId, workspaceId] = [newId(), newId()];
      const slug = `${slugOf(name)}-${organizationId.slice(-SLUG_SUFFIX)}`;
      await models.organizations.create([
        { _id: organizationId, name, slug, subscription: { plan: defaultPlan }, defaultWorkspaceId: workspaceId },
      ]);
      await models.workspaces.create([{ _id: workspaceId, organizationId, name: 'Default' }]);
      await openLedger(organizationId);
      return { organizationId, workspaceId };
    },

    /** @throws AppError `UNAUTHORIZED_NO_USER` when the organisation is gone */
    async context(organizationId: string): Promise<OrganizationContext> {
      const context = await contexts.get(organizationId, async () => {
        const found = await models.organizations.findById(organizationId).lean<OrganizationDocument>();
        return (
          found && {
            organizationId,
            value: {
              plan: found.subscription.plan,
              defaultWorkspaceId: found.defaultWorkspaceId.toHexString(),
              scrubNationalIds: found.scrubNationalIds,
            },
          }
        );
      });
      if (!context) throw new AppError('UNAUTHORIZED_NO_USER');
      return context;
    },

    /** Names by id, for lists. */
    async named(
      ids: readonly string[],
    ): Promise<Map<string, Pick<OrganizationDocument, '_id' | 'name' | 'slug' | 'subscription'>>> {
      const found = await models.organizations.find({ _id: { $in: ids } }).lean<OrganizationDocument[]>();
      return new Map(found.map((organization) => [organization._id.toHexString(), organization]));
    },
  };
}
export type OrganizationService = ReturnType<typeof createOrganizationService>;

function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return slug.slice(0, SLUG_LENGTH) || 'organization';
}
