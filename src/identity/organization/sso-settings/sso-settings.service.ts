// Reads and changes the SSO settings of an organisation: its identity provider, and the mapping of groups to roles.
import type { z } from 'zod';
import type { Platform } from '../../../platform/platform.ts';
import type { RoleRule } from '../../../domain/identity/role-mapping.ts';
import { createSamlEndpoints } from '../../../domain/sign-on/saml-endpoints.ts';
import { AppError } from '../../../errors.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import { findMembership, changeMembership } from '../memberships/memberships.service.ts';
import type { OrganizationDocument, SsoConfig } from '../organization.model.ts';
import { toIdentityProvider, invalidateOrganizationContext } from '../organization.service.ts';
import { listSwitchedOff } from '../../../domain/dual-control/weakened-switches.ts';
import type { roleMappingInput, SsoSettingsView } from './sso-settings.schemas.ts';
import { toAuditMetadata, toServiceProvider, toSettingsView } from './sso-settings.view.ts';
import { type SsoInput, checkSsoAddresses, toSsoConfig } from './sso-validation.service.ts';
import { listSsoWarnings, tryIdentityProvider } from './sso-warnings.service.ts';
import type { Context } from '../../../platform/context.ts';
import { getUpperRooms } from '../../upper-rooms.ts';

const LINK = '/settings/sso';

export interface SavedSsoSettings {
  view: SsoSettingsView;
  /** Metadata of the audit entry. */
  metadata: Record<string, unknown>;
}

/** Settings that are not saved. */
interface CheckedDraft {
  config: SsoConfig;
  warnings: string[];
}

export interface RoleMapping {
  rules: RoleRule[];
}

export async function showSsoSettings(ctx: Context): Promise<SsoSettingsView> {
  return toView(ctx.platform, ctx.tenant.organizationId, (await loadOrganization(ctx)).ssoConfig);
}

/**
 * Checks host names and the provider, and returns warnings. Call it before a transaction.
 * @throws AppError `SSRF_BLOCKED`
 */
export async function tryOutSso(platform: Platform, input: SsoInput): Promise<string[]> {
  await checkSsoAddresses(platform, input);
  return tryIdentityProvider(platform, input);
}

/**
 * Checks settings as if they were saved; returns their stored form, with warnings.
 * @throws AppError `SSRF_BLOCKED`, `VALIDATION_ERROR`
 */
export async function checkSsoDraft(ctx: Context, input: SsoInput): Promise<CheckedDraft> {
  const { platform } = ctx;
  await checkSsoAddresses(platform, input);
  const { ssoConfig } = await loadOrganization(ctx);
  const config = toSsoConfig(platform, ctx.tenant.organizationId, { input, before: ssoConfig });
  return { config, warnings: listSsoWarnings(platform, config) };
}

/** Replaces all settings; sessions of other providers end. @throws AppError `VALIDATION_ERROR` */
export async function replaceSsoSettings(
  ctx: Context,
  input: SsoInput,
  found: readonly string[] = [],
): Promise<SavedSsoSettings> {
  const { platform } = ctx;
  const { organizationId } = ctx.tenant;
  const { ssoConfig: before } = await loadOrganization(ctx);
  const ssoConfig = toSsoConfig(platform, organizationId, { input, before });
  await platform.models.organizations.updateOne({ _id: organizationId }, { $set: { ssoConfig } });
  invalidateOrganizationContext(platform, organizationId);
  await announceWeakening(platform, organizationId, before, ssoConfig);
  const sessionsEnded = await getUpperRooms(platform).endSignOns(
    organizationId,
    toIdentityProvider(ssoConfig),
  );
  const secretChanged = input.oidc?.clientSecret !== undefined;
  const metadata = { ...toAuditMetadata(ssoConfig), secretChanged, sessionsEnded };
  const view = toView(platform, organizationId, ssoConfig);
  return { view: { ...view, warnings: [...view.warnings, ...found] }, metadata };
}

/** Removes SSO and ends its sessions; returns how many. @throws AppError `NOT_FOUND` when there are no settings */
export async function removeSsoSettings(ctx: Context): Promise<number> {
  const { platform } = ctx;
  const { organizationId } = ctx.tenant;
  const { ssoConfig: before } = await loadOrganization(ctx);
  if (before === null) throw new AppError('NOT_FOUND', 'SSO is not configured');
  const none = { $set: { ssoConfig: null } };
  await platform.models.organizations.updateOne({ _id: organizationId }, none);
  await announceWeakening(platform, organizationId, before, null);
  invalidateOrganizationContext(platform, organizationId);
  return getUpperRooms(platform).endSignOns(organizationId, null);
}

/**
 * Removes the link of a member, whose name at the provider has changed, and ends their sessions here: the next
 * sign-on links the member again by address.
 * @throws AppError `NOT_FOUND`
 */
export async function removeSsoLink(
  { platform, tenant: { organizationId } }: Context,
  userId: string,
): Promise<void> {
  const membership = await findOr404(findMembership(platform, organizationId, userId));
  if (membership.signOn === null) throw new AppError('NOT_FOUND', 'Member has never signed on');
  await changeMembership(platform, membership, { signOn: null });
  await getUpperRooms(platform).endMemberSessions(organizationId, userId);
}

export async function loadRoleMapping(ctx: Context): Promise<RoleMapping> {
  return { rules: (await loadOrganization(ctx)).roleMapping };
}

/** Roles change at the next login or provisioning, not at once. @throws AppError `NOT_FOUND` */
export async function changeRoleMapping(
  { platform: { models }, tenant: { organizationId } }: Context,
  { rules }: z.output<typeof roleMappingInput>,
): Promise<RoleMapping> {
  const { matchedCount } = await models.organizations.updateOne(
    { _id: organizationId },
    { $set: { roleMapping: rules } },
  );
  if (matchedCount === 0) throw new AppError('NOT_FOUND');
  return { rules };
}

/** @throws AppError `NOT_FOUND` when it has just been deleted */
function loadOrganization({
  platform: { models },
  tenant: { organizationId },
}: Context): Promise<OrganizationDocument> {
  return findOr404(models.organizations.findById(organizationId).lean<OrganizationDocument>());
}

function toView(
  platform: Platform,
  organizationId: string,
  config: SsoConfig | null,
): SsoSettingsView {
  const serviceProvider = toServiceProvider(
    organizationId,
    platform.publicUrl,
    createSamlEndpoints(platform.publicUrl),
  );
  const settings = toSettingsView(config);
  return { settings, serviceProvider, warnings: listSsoWarnings(platform, config) };
}

async function announceWeakening(
  platform: Platform,
  organizationId: string,
  before: SsoConfig | null,
  after: SsoConfig | null,
): Promise<void> {
  const about = listSwitchedOff({ before: before ?? {}, after: after ?? {} }, LINK);
  await getUpperRooms(platform).notify({ organizationId, event: 'control.weakened', about });
}
