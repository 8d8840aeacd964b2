// What an organisation has settled about its own sign-on: its identity provider, and the e-mail domains it has proved.
import { AppError } from '../../errors.ts';
import type { Vault } from '../../infra/vault.ts';
import type { Models } from '../../models.ts';
import { type Feature, plansWith } from '../../domain/plans.ts';
import type { OrganizationDocument } from './organization.model.ts';
import type { SsoDomainDocument } from './sso-domains.model.ts';

interface Deps {
  models: Models;
  vault: Vault;
}

export const clientSecretPlace = (organizationId: string): string => `organisation ${organizationId} client secret`;

/** The part behind the at-sign, lower-cased; null where there is none. */
export function domainOf(email: string): string | null {
  const at = email.lastIndexOf('@');
  return at < 1 ? null : email.slice(at + 1).toLowerCase() || null;
}

export function createSsoSettingsService({ models, vault }: Deps) {
  const organization = (organizationId: string): Promise<OrganizationDocument | null> =>
    models.organizations.findById(organizationId).lean<OrganizationDocument>();

  return {
    /** The organisation that has proved the domain of an address; null: none has. */
    async organizationFor(email: string): Promise<string | null> {
      const domain = domainOf(email);
      if (domain === null) return null;
      const owner = await models.ssoDomains
        .findOne({ domain, verifiedAt: { $type: 'date' } }, null, { crossTenant: true })
        .lean<SsoDomainDocument>();
      return owner?.organizationId.toHexString() ?? null;
    },

    /** Whether an organisation has proved the domain of an address. */
    async covers(organizationId: string, email: string): Promise<boolean> {
      const domain = domainOf(email);
      if (domain === null) return false;
      return (await models.ssoDomains.exists({ organizationId, domain, verifiedAt: { $type: 'date' } })) !== null;
    },

    /**
     * The settings that a sign-on needs, with the client secret opened.
     * @throws AppError `NOT_FOUND` when the organisation has no sign-on, `UPGRADE_REQUIRED` when its plan lacks it
     */
    async inForce(organizationId: string) {
      const found = await organization(organizationId);
      if (!found?.ssoConfig) throw new AppError('NOT_FOUND', 'No sign-on is set up here');
      const currentPlan = found.subscription.plan;
      const requiredPlans = plansWith('sso');
      if (!requiredPlans.includes(currentPlan))
        throw new AppError('UPGRADE_REQUIRED', `The plan ${currentPlan} lacks sso`, {
          data: { currentPlan, requiredPlans, feature: 'sso' satisfies Feature },
        });
      const { oidc, ...config } = found.ssoConfig;
      const open = (sealed: string): string => vault.open(sealed, clientSecretPlace(organizationId));
      return {
        ...config,
        organizationId,
        roleMapping: found.roleMapping,
        oidc: oidc && { ...oidc, clientSecret: open(oidc.clientSecret) },
      };
    },
  };
}
export type SsoSettingsService = ReturnType<typeof createSsoSettingsService>;
export type SsoSettings = Awaited<ReturnType<SsoSettingsService['inForce']>>;
