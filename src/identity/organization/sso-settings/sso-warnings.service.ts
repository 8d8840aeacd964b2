// Warnings about problems of valid SSO settings, shown when they are saved, and to the operator at the start.
import type { Platform } from '../../../platform/platform.ts';
import { isSameSite } from '../../../domain/sign-on/same-site.ts';
import { AppError, describeCauses } from '../../../errors.ts';
import { openIdentityProviders } from '../../../platform/outbound/identity-providers.ts';
import type { OrganizationDocument, SsoConfig } from '../organization.model.ts';
import type { SsoInput } from './sso-validation.service.ts';

const PLAIN_HTTP =
  'Sign-on by SAML fails in browsers: over plain http they send no cookie along with the form of another site. Assay needs an https address (ASSAY_PUBLIC_URL)';

const NO_DISCOVERY = 'Sign-on by OpenID Connect cannot begin';

export function listSsoWarnings(platform: Platform, config: SsoConfig | null): string[] {
  return config && mayLoseCookie(platform, config) ? [PLAIN_HTTP] : [];
}

/**
 * Fetches the metadata of the OpenID provider, as every login will. A failure is only a warning, since the provider
 * may be down for a moment. The secret is first tried by a login.
 */
export async function tryIdentityProvider(
  platform: Platform,
  { oidc }: SsoInput,
): Promise<string[]> {
  if (!oidc) return [];
  const { issuer, clientId, clientSecret = '' } = oidc;
  try {
    await openIdentityProviders(platform).connectOpenId({ issuer, clientId, clientSecret });
    return [];
  } catch (error) {
    if (error instanceof AppError) return [`${NO_DISCOVERY}: ${describeCauses(error)}`];
    throw error;
  }
}

/** Warns the operator, for the organisations that are set up already. */
export async function warnOfLostCookies(platform: Platform): Promise<void> {
  if (platform.publicUrl.startsWith('https:')) return;
  const found = await platform.models.organizations
    .find({ 'ssoConfig.provider': 'saml' }, 'ssoConfig')
    .lean<Pick<OrganizationDocument, '_id' | 'ssoConfig'>[]>();
  const concerned = found.filter(
    ({ ssoConfig }) => ssoConfig && mayLoseCookie(platform, ssoConfig),
  );
  if (concerned.length === 0) return;
  const organizationIds = concerned.map(({ _id }) => _id.toHexString());
  platform.logger.warn({ publicUrl: platform.publicUrl, organizationIds }, PLAIN_HTTP);
}

/** Browsers send only Secure cookies with forms of other sites, and Secure cookies need https. */
const mayLoseCookie = ({ publicUrl }: Platform, { provider, saml }: SsoConfig): boolean =>
  provider === 'saml' &&
  saml !== null &&
  publicUrl.startsWith('http:') &&
  !isSameSite(publicUrl, saml.ssoUrl);
