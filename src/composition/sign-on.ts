// Creates the services of sign-on: social login, and the identity providers of organisations.
import { createSamlRedirect } from '@assay/saml';
import { createSamlEndpoints } from '../domain/sign-on/saml-endpoints.ts';
import { createBehalfService } from '../identity/agents/trusts/behalf.service.ts';
import { createExchangeTokenService } from '../identity/agents/trusts/exchange.service.ts';
import { createWorkloadService } from '../identity/agents/trusts/workloads.service.ts';
import { createWorkloadTokens } from '../platform/outbound/workload-tokens.ts';
import { createIdentityProviders } from '../platform/outbound/identity-providers.ts';
import { createSamlReaderWorker } from '../platform/saml/saml-reader-worker.ts';
import type { AuditService } from '../identity/audit/audit.service.ts';
import { createProviderMetadataService } from '../identity/organization/sso-settings/provider-metadata.service.ts';
import { createSsoDomainService } from '../identity/organization/sso-domains/sso-domains.service.ts';
import { createVerifiedDomainService } from '../identity/organization/sso-domains/verified-domains.service.ts';
import { createActiveSsoService } from '../identity/organization/sso-settings/active-sso.service.ts';
import { createSsoSettingsService } from '../identity/organization/sso-settings/sso-settings.service.ts';
import { createSsoValidationService } from '../identity/organization/sso-settings/sso-validation.service.ts';
import { createSsoWarningService } from '../identity/organization/sso-settings/sso-warnings.service.ts';
import { createAccountLinkingService } from '../identity/sign-on/login/account-linking.service.ts';
import { createEntryBudget } from '../identity/sign-on/login/entry-budget.ts';
import { createExchangeService } from '../identity/sign-on/login/cookie-exchange.service.ts';
import { createHomeRealmService } from '../identity/sign-on/login/home-realm.service.ts';
import { createLoginCompletionService } from '../identity/sign-on/login/login-completion.service.ts';
import { createLoginRequestService } from '../identity/sign-on/login/login-requests.service.ts';
import { createProviderLogoutService } from '../identity/sign-on/login/provider-logout.service.ts';
import { createOidcLogoutService } from '../identity/sign-on/oidc/oidc-logout.service.ts';
import { createOidcService } from '../identity/sign-on/oidc/oidc.service.ts';
import { createSamlLogoutReader } from '../identity/sign-on/saml/saml-logout-reader.service.ts';
import { createSamlLogoutService } from '../identity/sign-on/saml/saml-logout.service.ts';
import { createUsedMessageService } from '../identity/sign-on/login/used-messages.service.ts';
import { createSamlService } from '../identity/sign-on/saml/saml.service.ts';
import { createSignInOptionService } from '../identity/sign-on/social/sign-in-options.service.ts';
import { createSocialProviders } from '../identity/sign-on/social/configured-providers.ts';
import { createSocialAccountService } from '../identity/sign-on/social/social-accounts.service.ts';
import { createOrganizationLogins } from '../identity/sign-on/trials/organization-logins.service.ts';
import { createTrialStartService } from '../identity/sign-on/trials/trial-starts.service.ts';
import { createTrialService } from '../identity/sign-on/trials/trials.service.ts';
import { createSocialService } from '../identity/sign-on/social/social.service.ts';
import type { Listeners } from '../services.ts';
import type { Identity } from './identity.ts';
import type { Platform } from '../platform/platform.ts';

interface Deps extends Pick<Listeners, 'notices' | 'readers'> {
  audit: AuditService;
  identity: Identity;
}

export function createSignOn(platform: Platform, { audit, identity, notices, readers }: Deps) {
  const { accountReader, organizationFacts } = readers;
  const { config, clock, fetch, http } = platform;
  const { credentials, memberships, oneTimeTokens, organizations, failures } = identity;
  const { registration, auth } = identity;
  const { sessions, secondStep } = auth;
  const validation = createSsoValidationService(platform);
  // Users configure the providers of organisations; the installation configures those of social login.
  const providers = createIdentityProviders({ fetch: http.fetch, clock });
  const ssoWarnings = createSsoWarningService(platform, { providers });
  const ssoSettings = createSsoSettingsService(platform, {
    validation,
    warnings: ssoWarnings,
    sessions,
    organizations,
    memberships,
    notify: notices.notify,
  });
  const ssoDomains = createSsoDomainService(platform, { memberships, audit });
  const activeSso = createActiveSsoService(platform);
  const verifiedDomains = createVerifiedDomainService(platform);

  const loginRequests = createLoginRequestService(platform, { oneTimeTokens });
  const budget = createEntryBudget(platform);
  const loginCompletion = createLoginCompletionService(platform, { loginRequests, audit, budget });
  const accountLinking = createAccountLinkingService(platform, {
    accountReader,
    sessions,
    credentials,
    memberships,
    verifiedDomains,
  });

  const trials = createTrialService(platform, { activeSso, accountLinking });
  const organizationLogins = createOrganizationLogins({
    loginCompletion,
    accountLinking,
    activeSso,
    trials,
  });
  const oidc = createOidcService(platform, { providers, loginRequests, organizationLogins });
  const messages = createUsedMessageService(platform);
  const tokens = createWorkloadTokens({ fetch: http.fetch, clock });
  const { runTokens } = identity;
  const exchange = createExchangeTokenService(platform, {
    workloads: createWorkloadService(platform, { tokens }),
    behalves: createBehalfService(platform, { tokens, runTokens, sessions, activeSso }),
    runTokens,
    usedMessages: messages,
  });
  const providerLogout = createProviderLogoutService({ accountReader, sessions });
  const oidcLogout = createOidcLogoutService(platform, {
    providers,
    loginRequests,
    loginCompletion,
    activeSso,
    sessions,
    providerLogout,
    messages,
  });

  const reader = createSamlReaderWorker({
    decryptionKey: config.ASSAY_SAML_KEY ?? null,
    callerContext: platform.callerContext,
    log: platform.logger,
    threads: platform.threads,
  });
  const providerMetadata = createProviderMetadataService(platform, { reader });
  const redirect = createSamlRedirect(config.ASSAY_SAML_KEY ?? null);
  const endpoints = createSamlEndpoints(platform.publicUrl);
  const saml = createSamlService(platform, {
    loginRequests,
    organizationLogins,
    messages,
    reader,
    redirect,
    endpoints,
    organizationFacts,
  });
  const logoutReader = createSamlLogoutReader(platform, { reader, redirect, endpoints });
  const samlLogout = createSamlLogoutService(platform, {
    loginRequests,
    loginCompletion,
    activeSso,
    sessions,
    providerLogout,
    messages,
    logoutReader,
    redirect,
    endpoints,
  });

  const configured = createSocialProviders(config, createIdentityProviders({ fetch, clock }));
  const socialAccounts = createSocialAccountService(platform, {
    accountReader,
    sessions,
    failures,
    credentials,
    registration,
  });
  const social = createSocialService(platform, {
    loginRequests,
    loginCompletion,
    socialAccounts,
    providers: configured,
  });

  const homeRealm = createHomeRealmService(platform, {
    activeSso,
    verifiedDomains,
    starters: { oidc, saml },
    audit,
    budget,
  });
  const trialStarts = createTrialStartService(platform, {
    trials,
    ssoSettings,
    activeSso,
    starters: { oidc, saml },
  });
  const cookieExchange = createExchangeService({ sessions, secondStep });
  return {
    ssoSettings,
    ssoDomains,
    providerMetadata,
    ssoWarnings,
    usedMessages: messages,
    exchange,
    /** Services that the routes of sign-on use. */
    signOn: {
      homeRealm,
      oidc,
      oidcLogout,
      saml,
      samlLogout,
      social,
      cookieExchange,
      trials,
      trialStarts,
      signInOptions: createSignInOptionService(platform),
    },
  };
}
