// Views of SSO settings, which never show the client secret.
import { readCertificateFacts } from '@assay/saml';
import type { SamlEndpoints } from '../../../domain/sign-on/saml-endpoints.ts';
import type { SsoConfig } from '../organization.model.ts';
import type { SsoSettingsView } from './sso-settings.schemas.ts';

export interface ServiceProviderView {
  oidcRedirectUri: string;
  oidcPostLogoutRedirectUri: string;
  oidcBackChannelLogoutUri: string;
  samlAcsUrl: string;
  samlEntityId: string;
  samlSloUrl: string;
}

export function toServiceProvider(
  organizationId: string,
  publicUrl: string,
  endpoints: SamlEndpoints,
): ServiceProviderView {
  return {
    oidcRedirectUri: `${publicUrl}/api/v1/auth/sso/callback/${organizationId}`,
    oidcPostLogoutRedirectUri: `${publicUrl}/api/v1/auth/sso/logout/callback`,
    oidcBackChannelLogoutUri: `${publicUrl}/api/v1/auth/sso/backchannel-logout/${organizationId}`,
    samlAcsUrl: endpoints.assertionConsumer,
    samlEntityId: endpoints.entityId(organizationId),
    samlSloUrl: endpoints.singleLogout(organizationId),
  };
}

export function toSettingsView(config: SsoConfig | null): SsoSettingsView['settings'] {
  if (config === null) return null;
  const { oidc, saml, requireSso = false, ...rest } = config;
  return {
    ...rest,
    requireSso,
    oidc: oidc && { ...oidc, hasClientSecret: true },
    saml: saml && { ...saml, certificates: saml.certificates.map(readCertificateFacts) },
  };
}

/** Returns the settings as the audit log stores them. */
export function toAuditMetadata(config: SsoConfig): Record<string, unknown> {
  const { provider, requireMfaEvenWithSso, requireSso = false, justInTime, oidc, saml } = config;
  return {
    provider,
    requireMfaEvenWithSso,
    requireSso,
    justInTime,
    ...(oidc && { issuer: oidc.issuer, clientId: oidc.clientId }),
    ...(saml && {
      entityId: saml.entityId,
      ssoUrl: saml.ssoUrl,
      sloUrl: saml.sloUrl,
      ...(saml.nameIdFormat != null && { nameIdFormat: saml.nameIdFormat }),
      certificates: saml.certificates.map((pem) => readCertificateFacts(pem).fingerprint),
    }),
  };
}
