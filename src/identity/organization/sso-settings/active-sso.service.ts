// Loads the SSO settings for a login: requires a plan with SSO, and decrypts the client secret.
import type { Platform } from '../../../platform/platform.ts';
import { type Feature, type Plan, listFeaturePlans } from '../../../domain/identity/plans.ts';
import type { RoleRule } from '../../../domain/identity/role-mapping.ts';
import { AppError } from '../../../errors.ts';
import type { OrganizationDocument, SsoConfig } from '../organization.model.ts';
import { toClientSecretAad } from './client-secret.ts';

/** Holds the settings of the protocol in use only. */
export interface ActiveSso extends SsoConfig {
  organizationId: string;
  roleMapping: RoleRule[];
}

/** Whether the organisation has a sign-on, whatever its plan. */
export async function isSsoConfigured(
  { models }: Platform,
  organizationId: string,
): Promise<boolean> {
  const configured = { _id: organizationId, ssoConfig: { $ne: null } };
  return (await models.organizations.exists(configured)) !== null;
}

/** @throws AppError `NOT_FOUND` when the organisation has no SSO settings, `UPGRADE_REQUIRED` when its plan lacks SSO */
export async function loadActiveSso(
  platform: Platform,
  organizationId: string,
): Promise<ActiveSso> {
  const organization = await loadOrganization(platform, organizationId);
  // While the owner is asked whether to keep the organisation, a stranger may have chosen its provider.
  if (!organization.ssoConfig || organization.reclaimedAt) throw createMissingError();
  return openConfig(platform, organization, organization.ssoConfig);
}

/** Opens settings that are not saved. @throws AppError like `loadActiveSso` */
export async function openSsoDraft(
  platform: Platform,
  organizationId: string,
  draft: SsoConfig,
): Promise<ActiveSso> {
  return openConfig(platform, await loadOrganization(platform, organizationId), draft);
}

/** @throws AppError `NOT_FOUND` */
async function loadOrganization(
  { models }: Platform,
  organizationId: string,
): Promise<OrganizationDocument> {
  const organization = await models.organizations
    .findById(organizationId)
    .lean<OrganizationDocument>();
  if (!organization) throw createMissingError();
  return organization;
}

/** Selects the protocol in use, and decrypts the client secret. @throws AppError `UPGRADE_REQUIRED` */
function openConfig(
  { vault }: Platform,
  { _id, roleMapping, subscription }: OrganizationDocument,
  config: SsoConfig,
): ActiveSso {
  requireSso(subscription.plan);
  const organizationId = _id.toHexString();
  const { provider, oidc, saml } = config;
  if (provider === 'saml') return { ...config, organizationId, roleMapping, saml, oidc: null };
  const aad = toClientSecretAad(organizationId);
  const opened = oidc && { ...oidc, clientSecret: vault.decrypt(oidc.clientSecret, aad) };
  return { ...config, organizationId, roleMapping, oidc: opened };
}

const createMissingError = (): AppError => new AppError('NOT_FOUND', 'SSO is not configured');

/** @throws AppError `UPGRADE_REQUIRED` */
function requireSso(currentPlan: Plan): void {
  const feature: Feature = 'sso';
  const requiredPlans = listFeaturePlans(feature);
  if (requiredPlans.includes(currentPlan)) return;
  const data = { currentPlan, requiredPlans, feature };
  throw new AppError('UPGRADE_REQUIRED', `The plan ${currentPlan} lacks ${feature}`, { data });
}
