// Organisations: creation with the default workspace, settings, and the cached context that every request needs.
import type { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import { type Plan, listFeaturePlans } from '../../domain/identity/plans.ts';
import { type PendingView, findPendingView } from '../../domain/dual-control/second-word.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { AppError } from '../../errors.ts';
import { findOr404, insertOne } from '../../platform/mongo/queries.ts';
import type {
  InsuranceFeedSetting,
  OrganizationDocument,
  SsoConfig,
} from './organization.model.ts';
import type { settingsChange } from './organization.schemas.ts';
import { toReleaseRequest, type PolicyApprovalSwitch } from './policy-approval-switch.service.ts';
import type { Changer } from './second-words.service.ts';
import { listSwitchedOff } from '../../domain/dual-control/weakened-switches.ts';
import type { Notify } from '../../domain/events/announcement.ts';

/** The identity provider that an organisation's members sign on at. */
export interface IdentityProvider {
  protocol: 'oidc' | 'saml';
  issuer: string;
}

/** The facts of an organisation that authentication needs. */
export interface OrganizationContext {
  plan: Plan;
  defaultWorkspaceId: string;
  scrubNationalIds: boolean;
  requiresPolicyApproval: boolean;
  /** Null: SSO is not configured. */
  identityProvider: IdentityProvider | null;
  /** Whether members other than owners must use the sign-on. */
  requiresSso: boolean;
}

interface Deps {
  policyApprovalSwitch: PolicyApprovalSwitch;
  notify: Notify;
  /** Creates the cursors of the ledger's consumers, in the transaction of the registration. */
  openLedger(organizationId: string): Promise<void>;
}

const CACHED_ORGANIZATIONS = 10_000;
const SLUG_LENGTH = 48;
const SLUG_SUFFIX = 8;

export interface OrganizationSettings extends Omit<OrganizationDocument, 'policyApprovalRelease'> {
  reclaimedAt: Date | null;
  id: OrganizationDocument['_id'];
  plan: Plan;
  requirePolicyApproval: boolean;
  insuranceFeed: InsuranceFeedSetting;
  policyApprovalRelease?: PendingView;
}

/** The members of an organisation that lists show. */
export type OrganizationSummary = Pick<
  OrganizationDocument,
  '_id' | 'name' | 'slug' | 'subscription'
>;

export function createOrganizationService(
  platform: Pick<Platform, 'models' | 'generateId' | 'onCommit' | 'caches' | 'config' | 'clock'>,
  deps: Deps,
) {
  const { models, generateId: newId, onCommit, caches, config, clock } = platform;
  const { openLedger, policyApprovalSwitch, notify } = deps;
  const contexts = caches.openCache<OrganizationContext>({
    collections: ['organizations'],
    max: CACHED_ORGANIZATIONS,
  });

  async function loadContext(organizationId: string): Promise<OrganizationContext | null> {
    const found = await models.organizations.findById(organizationId).lean<OrganizationDocument>();
    if (!found) return null;
    return {
      plan: found.subscription.plan,
      defaultWorkspaceId: found.defaultWorkspaceId.toHexString(),
      scrubNationalIds: found.scrubNationalIds,
      requiresPolicyApproval: found.requirePolicyApproval ?? false,
      identityProvider: found.ssoConfig && toIdentityProvider(found.ssoConfig),
      requiresSso: mustUseSso(found),
    };
  }

  return {
    /** Creates an organisation and its default workspace; call it inside a transaction. */
    async create(name: string): Promise<OrganizationDocument> {
      const [organizationId, workspaceId] = [newId(), newId()];
      const slug = `${toSlug(name)}-${organizationId.slice(-SLUG_SUFFIX)}`;
      const organization = await insertOne(models.organizations, {
        _id: organizationId,
        name,
        slug,
        subscription: { plan: config.DEFAULT_PLAN },
        defaultWorkspaceId: workspaceId,
      });
      await insertOne(models.workspaces, { _id: workspaceId, organizationId, name: 'Default' });
      await openLedger(organizationId);
      return organization;
    },

    /** @throws AppError `UNAUTHORIZED_NO_USER` when the organisation is gone */
    async getContext(organizationId: string): Promise<OrganizationContext> {
      const context = await contexts.get(organizationId, async () => {
        const value = await loadContext(organizationId);
        return value && { organizationId, value };
      });
      if (!context) throw new AppError('UNAUTHORIZED_NO_USER');
      return context;
    },

    /** @throws AppError `NOT_FOUND` when it has just been deleted */
    async loadSettings({
      organizationId,
    }: Pick<Tenant, 'organizationId'>): Promise<OrganizationSettings> {
      const query = models.organizations.findById(organizationId).lean<OrganizationDocument>();
      return toView(await findOr404(query), clock.now());
    },

    /** @throws AppError `NOT_FOUND` when it has just been deleted */
    async update(
      changer: Changer,
      change: z.output<typeof settingsChange>,
    ): Promise<OrganizationSettings> {
      const { organizationId } = changer.tenant;
      const $set = await policyApprovalSwitch.settle(changer, change);
      const before = await findOr404(
        models.organizations
          .findOneAndUpdate({ _id: organizationId }, { $set })
          .lean<OrganizationDocument>(),
      );
      const updated = await findOr404(
        models.organizations.findById(organizationId).lean<OrganizationDocument>(),
      );
      const about = listSwitchedOff({ before, after: updated }, '/settings/organization');
      await notify({ organizationId, event: 'control.weakened', about });
      onCommit(() => contexts.invalidate(organizationId));
      return toView(updated, clock.now());
    },

    /** Drops the cached context; call it after every change of the document outside this service. */
    invalidateContext(organizationId: string): void {
      onCommit(() => contexts.invalidate(organizationId));
    },

    /** Finds the organisations of the ids, for lists. */
    async findSummaries(ids: readonly string[]): Promise<Map<string, OrganizationSummary>> {
      const found = await models.organizations
        .find({ _id: { $in: ids } })
        .lean<OrganizationDocument[]>();
      return new Map(found.map((organization) => [organization._id.toHexString(), organization]));
    },
  };
}
export type OrganizationService = ReturnType<typeof createOrganizationService>;

/** False on a plan without sign-on, which would lock all members out. */
const mustUseSso = ({ ssoConfig, subscription }: OrganizationDocument): boolean =>
  ssoConfig?.requireSso === true && listFeaturePlans('sso').includes(subscription.plan);

/** Returns the identity provider in use; the other one may be prepared. */
export function toIdentityProvider({ provider, oidc, saml }: SsoConfig): IdentityProvider | null {
  const issuer = provider === 'oidc' ? oidc?.issuer : saml?.entityId;
  return issuer === undefined ? null : { protocol: provider, issuer };
}

function toView(organization: OrganizationDocument, now: Date): OrganizationSettings {
  const { policyApprovalRelease: release, ...shown } = organization;
  const { _id: id, subscription, requirePolicyApproval = false } = shown;
  const { insuranceFeed = { enabled: false }, reclaimedAt = null } = shown;
  const settings = { requirePolicyApproval, insuranceFeed, reclaimedAt };
  const view = { ...shown, id, plan: subscription.plan, ...settings };
  const waiting = findPendingView(toReleaseRequest(release), now);
  return waiting ? { ...view, policyApprovalRelease: waiting } : view;
}

function toSlug(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return slug.slice(0, SLUG_LENGTH) || 'organization';
}
