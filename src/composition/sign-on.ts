// Signing on elsewhere: social login, and the identity providers of organisations.
import { createDns } from '../platform/outbound/dns.ts';
import { createIdentityProviders } from '../platform/outbound/identity-providers.ts';
import { newId, randomHex, randomToken } from '../platform/ids.ts';
import { createSsoDomainService } from '../resources/organization/sso-domains/sso-domains.service.ts';
import { createSsoSettingsService } from '../resources/organization/sso-settings/sso-settings.service.ts';
import { createAccountLinkingService } from '../resources/sign-on/login/account-linking.service.ts';
import { createLoginRequestService } from '../resources/sign-on/login/login-requests.service.ts';
import { createHomeRealmService } from '../resources/sign-on/login/home-realm.service.ts';
import { createLoginCompletionService } from '../resources/sign-on/login/login-completion.service.ts';
import { createExchangeService } from '../resources/sign-on/login/cookie-exchange.service.ts';
import { createOidcService } from '../resources/sign-on/oidc/oidc.service.ts';
import { createSocialService } from '../resources/sign-on/social/social.service.ts';
import type { Platform } from './platform.ts';
import type { Identity } from './identity.ts';
import { createSaml } from './saml.ts';
import { socialProviders } from './social-providers.ts';

/** For one look-up. */
const DNS_MS = 5000;

export function createSignOn(platform: Platform, identity: Identity) {
  const { models, clock, vault, audit, transaction, logger, http, publicUrl, returnAddresses } =
    platform;
  const {
    sessions,
    credentials,
    memberships,
    oneTimeTokens,
    organizations,
    failures,
    founding,
    mfa,
  } = identity;
  const ssoSettings = createSsoSettingsService({
    models,
    vault,
    sessions,
    organizations,
    http,
    clock,
    publicUrl,
  });
  const dns = createDns({ servers: platform.config.ASSAY_DNS_SERVERS, timeoutMs: DNS_MS });
  const attempts = createLoginRequestService({ oneTimeTokens, clock, randomToken });
  const endings = createLoginCompletionService({
    audit,
    defaultReturn: returnAddresses[0],
    log: logger,
  });
  const arrivals = createAccountLinkingService({
    models,
    sessions,
    credentials,
    memberships,
    ssoSettings,
    clock,
    newId,
    transaction,
  });
  const oidc = createOidcService({
    attempts,
    endings,
    arrivals,
    ssoSettings,
    randomToken,
    publicUrl,
    providers: createIdentityProviders({
      fetch: (url, options) => http.fetch(url, options),
      clock,
    }),
  });
  const saml = createSaml(platform, identity, { attempts, endings, arrivals, ssoSettings });
  return {
    ssoSettings,
    oidc,
    ...saml,
    ssoDomains: createSsoDomainService({ models, memberships, audit, dns, clock, randomHex }),
    dispatch: createHomeRealmService({
      ssoSettings,
      starters: { oidc, saml: saml.saml },
      audit,
      returnAddresses,
    }),
    exchanges: createExchangeService({ sessions, mfa }),
    social: createSocialService({
      models,
      sessions,
      failures,
      credentials,
      founding,
      attempts,
      endings,
      clock,
      transaction,
      randomToken,
      returnAddresses,
      publicUrl,
      providers: socialProviders(platform),
    }),
  };
}
