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

export function createActiveSsoService({ models, vault }: Pick<Platform, 'models' | 'vault'>) {
  /** @throws AppError `NOT_FOUND` */
  async function loadOrganization(organizationId: string): Promise<OrganizationDocument> {
    const organization = await models.organizations
      .findById(organizationId)
      .lean<OrganizationDocument>();
    if (!organization) throw createMissingError();
    return organization;
  }

  /** Selects the protocol in use, and decrypts the client secret. @throws AppError `UPGRADE_REQUIRED` */
  function openConfig(
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

  return {
    /** Whether the organisation has a sign-on, whatever its plan. */
    async isConfigured(organizationId: string): Promise<boolean> {
      const configured = { _id: organizationId, ssoConfig: { $ne: null } };
      return (await models.organizations.exists(configured)) !== null;
    },

    /** @throws AppError `NOT_FOUND` when the organisation has no SSO settings, `UPGRADE_REQUIRED` when its plan lacks SSO */
    async loadActiveSso(organizationId: string): Promise<ActiveSso> {
      const organization = await loadOrganization(organizationId);
      // While the owner is asked whether to keep the organisation, a stranger may have chosen its provider.
      if (!organization.ssoConfig || organization.reclaimedAt) throw createMissingError();
      return openConfig(organization, organization.ssoConfig);
    },

    /** Opens settings that are not saved. @throws AppError like `loadActiveSso` */
    async openDraft(organizationId: string, draft: SsoConfig): Promise<ActiveSso> {
      return openConfig(await loadOrganization(organizationId), draft);
    },
  };
}
export type ActiveSsoService = ReturnType<typeof createActiveSsoService>;

const createMissingError = (): AppError => new AppError('NOT_FOUND', 'SSO is not configured');

/** @throws AppError `UPGRADE_REQUIRED` */
function requireSso(currentPlan: Plan): void {
  const feature: Feature = 'sso';
  const requiredPlans = listFeaturePlans(feature);
  if (requiredPlans.includes(currentPlan)) return;
  const data = { currentPlan, requiredPlans, feature };
  throw new AppError('UPGRADE_REQUIRED', `The plan ${currentPlan} lacks ${feature}`, { data });
}
