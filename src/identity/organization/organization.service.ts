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
import { toReleaseRequest, settlePolicyApproval } from './policy-approval-switch.service.ts';
import { listSwitchedOff } from '../../domain/dual-control/weakened-switches.ts';
import type { Context, UserContext } from '../../platform/context.ts';
import { perInstance } from '../../platform/per-instance.ts';
import { getUpperRooms } from '../upper-rooms.ts';

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

const openContexts = perInstance(({ caches }: Platform) =>
  caches.openCache<OrganizationContext>({
    collections: ['organizations'],
    max: CACHED_ORGANIZATIONS,
  }),
);

/** Creates an organisation and its default workspace; call it inside a transaction. */
export async function createOrganization(
  platform: Platform,
  name: string,
): Promise<OrganizationDocument> {
  const [organizationId, workspaceId] = [platform.generateId(), platform.generateId()];
  const slug = `${toSlug(name)}-${organizationId.slice(-SLUG_SUFFIX)}`;
  const organization = await insertOne(platform.models.organizations, {
    _id: organizationId,
    name,
    slug,
    subscription: { plan: platform.config.DEFAULT_PLAN },
    defaultWorkspaceId: workspaceId,
  });
  await insertOne(platform.models.workspaces, {
    _id: workspaceId,
    organizationId,
    name: 'Default',
  });
  await getUpperRooms(platform).openLedger(organizationId);
  return organization;
}

/** @throws AppError `UNAUTHORIZED_NO_USER` when the organisation is gone */
export async function getOrganizationContext(
  platform: Platform,
  organizationId: string,
): Promise<OrganizationContext> {
  const context = await openContexts(platform).get(organizationId, async () => {
    const value = await loadContext(platform, organizationId);
    return value && { organizationId, value };
  });
  if (!context) throw new AppError('UNAUTHORIZED_NO_USER');
  return context;
}

/** @throws AppError `NOT_FOUND` when it has just been deleted */
export async function loadOrganizationSettings(
  { models, clock }: Platform,
  { organizationId }: Pick<Tenant, 'organizationId'>,
): Promise<OrganizationSettings> {
  const query = models.organizations.findById(organizationId).lean<OrganizationDocument>();
  return toView(await findOr404(query), clock.now());
}

/** @throws AppError `NOT_FOUND` when it has just been deleted */
export async function updateOrganization(
  ctx: UserContext,
  change: z.output<typeof settingsChange>,
): Promise<OrganizationSettings> {
  const { platform } = ctx;
  const { organizationId } = ctx.tenant;
  const $set = await settlePolicyApproval(ctx, change);
  const before = await findOr404(
    platform.models.organizations
      .findOneAndUpdate({ _id: organizationId }, { $set })
      .lean<OrganizationDocument>(),
  );
  const updated = await findOr404(
    platform.models.organizations.findById(organizationId).lean<OrganizationDocument>(),
  );
  const about = listSwitchedOff({ before, after: updated }, '/settings/organization');
  await getUpperRooms(platform).notify({ organizationId, event: 'control.weakened', about });
  platform.onCommit(() => openContexts(platform).invalidate(organizationId));
  return toView(updated, platform.clock.now());
}

/**
 * Keeps an organisation that was begun before its owner's mailbox was proved, by the owner's decision.
 * @throws AppError `INVALID_OPERATION` when there is no question
 */
export async function keepOrganization({
  platform,
  tenant,
}: Context): Promise<OrganizationSettings> {
  const { models, onCommit, caches } = platform;
  const { organizationId } = tenant;
  const { matchedCount } = await models.organizations.updateOne(
    { _id: organizationId, reclaimedAt: { $type: 'date' } },
    { $set: { reclaimedAt: null } },
  );
  const settings = await loadOrganizationSettings(platform, tenant);
  if (matchedCount === 0)
    throw new AppError('INVALID_OPERATION', 'The organisation is kept already');
  onCommit(() => caches.forget(organizationId));
  return settings;
}

/** Drops the cached context; call it after every change of the document outside this service. */
export function invalidateOrganizationContext(platform: Platform, organizationId: string): void {
  platform.onCommit(() => openContexts(platform).invalidate(organizationId));
}

/** Finds the organisations of the ids, for lists. */
export async function findOrganizationSummaries(
  { models }: Platform,
  ids: readonly string[],
): Promise<Map<string, OrganizationSummary>> {
  const found = await models.organizations
    .find({ _id: { $in: ids } })
    .lean<OrganizationDocument[]>();
  return new Map(found.map((organization) => [organization._id.toHexString(), organization]));
}

async function loadContext(
  { models }: Platform,
  organizationId: string,
): Promise<OrganizationContext | null> {
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
