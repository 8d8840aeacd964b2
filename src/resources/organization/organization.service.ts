// Organisations: made at registration with their default workspace, and the facts every request needs of them.
import type { z } from 'zod';
import type { Platform } from '../../composition/platform.ts';
import type { Plan } from '../../domain/identity/plans.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { AppError } from '../../errors.ts';
import type { OrganizationDocument, SsoConfig } from './organization.model.ts';
import type { settingsChange } from './organization.schemas.ts';

/** Who vouches for the people of an organisation. */
export interface IdentityProvider {
  protocol: 'oidc' | 'saml';
  issuer: string;
}

/** What authentication needs of an organisation. */
export interface OrganizationContext {
  plan: Plan;
  defaultWorkspaceId: string;
  scrubNationalIds: boolean;
  /** Null: it has no sign-on of its own. */
  identityProvider: IdentityProvider | null;
}

type Deps = Pick<Platform, 'models' | 'newId' | 'onCommit' | 'caches' | 'config'> & {
  /** Makes the cursors of the ledger's consumers, in the transaction of the registration. */
  openLedger(organizationId: string): Promise<void>;
};

const CACHED_ORGANIZATIONS = 10_000;
const SLUG_LENGTH = 48;
const SLUG_SUFFIX = 8;

export function createOrganizationService({
  models,
  newId,
  onCommit,
  caches,
  config,
  openLedger,
}: Deps) {
  const contexts = caches.open<OrganizationContext>({
    collections: ['organizations'],
    max: CACHED_ORGANIZATIONS,
  });
  return {
    /** Makes an organisation and its default workspace; call it inside a transaction. */
    async create(name: string): Promise<{ organizationId: string; workspaceId: string }> {
      const [organizationId, workspaceId] = [newId(), newId()];
      const slug = `${slugOf(name)}-${organizationId.slice(-SLUG_SUFFIX)}`;
      await models.organizations.create([
        {
          _id: organizationId,
          name,
          slug,
          subscription: { plan: config.DEFAULT_PLAN },
          defaultWorkspaceId: workspaceId,
        },
      ]);
      await models.workspaces.create([{ _id: workspaceId, organizationId, name: 'Default' }]);
      await openLedger(organizationId);
      return { organizationId, workspaceId };
    },

    /** @throws AppError `UNAUTHORIZED_NO_USER` when the organisation is gone */
    async context(organizationId: string): Promise<OrganizationContext> {
      const context = await contexts.get(organizationId, async () => {
        const found = await models.organizations
          .findById(organizationId)
          .lean<OrganizationDocument>();
        return (
          found && {
            organizationId,
            value: {
              plan: found.subscription.plan,
              defaultWorkspaceId: found.defaultWorkspaceId.toHexString(),
              scrubNationalIds: found.scrubNationalIds,
              identityProvider: found.ssoConfig ? identityProvider(found.ssoConfig) : null,
            },
          }
        );
      });
      if (!context) throw new AppError('UNAUTHORIZED_NO_USER');
      return context;
    },

    /** @throws AppError `NOT_FOUND` when it has just been deleted */
    async settings({ organizationId }: Tenant) {
      const found = await models.organizations
        .findById(organizationId)
        .lean<OrganizationDocument>();
      if (!found) throw new AppError('NOT_FOUND');
      return shown(found);
    },

    /** @throws AppError `NOT_FOUND` when it has just been deleted */
    async update({ organizationId }: Tenant, change: z.output<typeof settingsChange>) {
      const updated = await models.organizations
        .findOneAndUpdate({ _id: organizationId }, { $set: change }, { returnDocument: 'after' })
        .lean<OrganizationDocument>();
      if (!updated) throw new AppError('NOT_FOUND');
      onCommit(() => contexts.invalidate(organizationId));
      return shown(updated);
    },

    /** To be told of every change of a document that was made elsewhere. */
    changed(organizationId: string): void {
      onCommit(() => contexts.invalidate(organizationId));
    },

    /** Names by id, for lists. */
    async named(
      ids: readonly string[],
    ): Promise<Map<string, Pick<OrganizationDocument, '_id' | 'name' | 'slug' | 'subscription'>>> {
      const found = await models.organizations
        .find({ _id: { $in: ids } })
        .lean<OrganizationDocument[]>();
      return new Map(found.map((organization) => [organization._id.toHexString(), organization]));
    },
  };
}
export type OrganizationService = ReturnType<typeof createOrganizationService>;

/** The identity provider that is in use; the other one may be prepared. */
export function identityProvider({ provider, oidc, saml }: SsoConfig): IdentityProvider | null {
  const issuer = provider === 'oidc' ? oidc?.issuer : saml?.entityId;
  return issuer === undefined ? null : { protocol: provider, issuer };
}

function shown(organization: OrganizationDocument) {
  return { ...organization, id: organization._id, plan: organization.subscription.plan };
}

function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return slug.slice(0, SLUG_LENGTH) || 'organization';
}
