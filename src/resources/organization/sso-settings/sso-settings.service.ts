// What an organisation has settled about its own sign-on: its identity provider, and which groups there have which role here.
import type { z } from 'zod';
import type { Platform } from '../../../composition/platform.ts';
import { certificateFacts, certificateProblem } from '../../../domain/identity/certificates.ts';
import { type Feature, plansWith } from '../../../domain/identity/plans.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { samlEndpoints } from '../../../domain/saml/endpoints.ts';
import { AppError } from '../../../errors.ts';
import type { SessionService } from '../../auth/sessions/sessions.service.ts';
import type {
  OidcSettings,
  OrganizationDocument,
  SamlSettings,
  SsoConfig,
} from '../organization.model.ts';
import { identityProvider, type OrganizationService } from '../organization.service.ts';
import type { SsoDomainDocument } from '../sso-domains/sso-domains.model.ts';
import type { roleMappingInput, ssoInput } from './sso-settings.schemas.ts';

type Deps = Pick<Platform, 'models' | 'vault' | 'http' | 'clock' | 'publicUrl'> & {
  sessions: SessionService;
  organizations: OrganizationService;
};

type SsoInput = z.output<typeof ssoInput>;
type OidcInput = NonNullable<SsoInput['oidc']>;
type SamlInput = NonNullable<SsoInput['saml']>;

export const clientSecretAad = (organizationId: string): string =>
  `organisation ${organizationId} client secret`;

/** The part behind the at-sign, lower-cased; null where there is none. */
export function domainOf(email: string): string | null {
  const at = email.lastIndexOf('@');
  return at < 1 ? null : email.slice(at + 1).toLowerCase() || null;
}

export function createSsoSettingsService({
  models,
  vault,
  sessions,
  organizations,
  http,
  clock,
  publicUrl,
}: Deps) {
  const places = samlEndpoints(publicUrl);
  const organization = (organizationId: string): Promise<OrganizationDocument | null> =>
    models.organizations.findById(organizationId).lean<OrganizationDocument>();

  /** @throws AppError `NOT_FOUND` when it has just been deleted */
  async function living({ organizationId }: Tenant): Promise<OrganizationDocument> {
    const found = await organization(organizationId);
    if (!found) throw new AppError('NOT_FOUND');
    return found;
  }

  /** The provider's own addresses: ours to call with OpenID Connect, for browsers to open with SAML. */
  async function checkAddresses({ oidc, saml }: SsoInput): Promise<void> {
    for (const address of [saml?.ssoUrl, saml?.sloUrl]) if (address != null) http.inspect(address);
    if (oidc) await http.check(oidc.issuer);
  }

  /** The former secret stays where the same client of the same provider is meant. */
  function sealed(
    organizationId: string,
    given: OidcInput,
    before: OidcSettings | null,
  ): OidcSettings {
    const { clientSecret, ...rest } = given;
    const isSame = before?.issuer === given.issuer && before.clientId === given.clientId;
    const secret =
      clientSecret === undefined
        ? isSame && before.clientSecret
        : vault.seal(clientSecret, clientSecretAad(organizationId));
    if (!secret)
      throw new AppError(
        'VALIDATION_ERROR',
        'oidc.clientSecret: is needed for another issuer or another client',
      );
    return { ...rest, clientSecret: secret };
  }

  function withCertificates(given: SamlInput): SamlSettings {
    given.certificates.forEach((pem, index) => {
      const problem = certificateProblem(pem, clock.now());
      if (problem !== null)
        throw new AppError('VALIDATION_ERROR', `saml.certificates.${index}: ${problem}`);
    });
    return { ...given, certificates: given.certificates.map((pem) => certificateFacts(pem).pem) };
  }

  const shown = (organizationId: string, config: SsoConfig | null) => ({
    settings: config && shownSettings(config),
    serviceProvider: {
      oidcRedirectUri: `${publicUrl}/api/v1/auth/sso/callback/${organizationId}`,
      samlAcsUrl: places.assertionConsumer,
      samlEntityId: places.entityId(organizationId),
      samlSloUrl: places.singleLogout(organizationId),
    },
  });

  return {
    async show(tenant: Tenant) {
      return shown(tenant.organizationId, (await living(tenant)).ssoConfig);
    },

    /**
     * Replaces all there was; sessions that another provider opened end.
     * @throws AppError `SSRF_BLOCKED`, `VALIDATION_ERROR`
     */
    async replace(tenant: Tenant, input: SsoInput) {
      const { organizationId } = tenant;
      await checkAddresses(input);
      const { ssoConfig: before } = await living(tenant);
      const oidc = input.oidc && sealed(organizationId, input.oidc, before?.oidc ?? null);
      const saml = input.saml && withCertificates(input.saml);
      const config: SsoConfig = { ...input, oidc, saml };
      await models.organizations.updateOne(
        { _id: organizationId },
        { $set: { ssoConfig: config } },
      );
      organizations.changed(organizationId);
      const sessionsEnded = await sessions.endSignOns(organizationId, identityProvider(config));
      const secretChanged = input.oidc?.clientSecret !== undefined;
      return {
        shown: shown(organizationId, config),
        metadata: { ...factsOf(config), secretChanged, sessionsEnded },
      };
    },

    /** Nobody signs on here any more, and whoever did is signed out. @throws AppError `NOT_FOUND` when there is none */
    async remove({ organizationId }: Tenant): Promise<number> {
      const { matchedCount } = await models.organizations.updateOne(
        { _id: organizationId, ssoConfig: { $ne: null } },
        { $set: { ssoConfig: null } },
      );
      if (matchedCount === 0) throw new AppError('NOT_FOUND', 'No sign-on is set up here');
      organizations.changed(organizationId);
      return sessions.endSignOns(organizationId, null);
    },

    async roleMapping(tenant: Tenant) {
      return { rules: (await living(tenant)).roleMapping };
    },

    /** Roles change with the next sign-on or provisioning, not at once. @throws AppError `NOT_FOUND` */
    async mapRoles({ organizationId }: Tenant, { rules }: z.output<typeof roleMappingInput>) {
      const { matchedCount } = await models.organizations.updateOne(
        { _id: organizationId },
        { $set: { roleMapping: rules } },
      );
      if (matchedCount === 0) throw new AppError('NOT_FOUND');
      return { rules };
    },

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
      return (
        (await models.ssoDomains.exists({
          organizationId,
          domain,
          verifiedAt: { $type: 'date' },
        })) !== null
      );
    },

    /**
     * The settings that a sign-on needs; the client secret opened where it is in use.
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
      const open = (sealed: string): string => vault.open(sealed, clientSecretAad(organizationId));
      return {
        ...config,
        organizationId,
        roleMapping: found.roleMapping,
        oidc:
          oidc && config.provider === 'oidc'
            ? { ...oidc, clientSecret: open(oidc.clientSecret) }
            : null,
      };
    },
  };
}
export type SsoSettingsService = ReturnType<typeof createSsoSettingsService>;
export type SsoSettings = Awaited<ReturnType<SsoSettingsService['inForce']>>;

function shownSettings({ oidc, saml, ...config }: SsoConfig) {
  return {
    ...config,
    oidc: oidc && { ...oidc, hasClientSecret: true },
    saml: saml && { ...saml, certificates: saml.certificates.map(certificateFacts) },
  };
}

/** What the audit log keeps of the settings. */
function factsOf({
  provider,
  requireMfaEvenWithSso,
  justInTime,
  oidc,
  saml,
}: SsoConfig): Record<string, unknown> {
  return {
    provider,
    requireMfaEvenWithSso,
    justInTime,
    ...(oidc && { issuer: oidc.issuer, clientId: oidc.clientId }),
    ...(saml && {
      entityId: saml.entityId,
      ssoUrl: saml.ssoUrl,
      sloUrl: saml.sloUrl,
      certificates: saml.certificates.map((pem) => certificateFacts(pem).fingerprint),
    }),
  };
}
