// Signing on by SAML 2.0, and out again.
import { samlEndpoints } from '../domain/saml/endpoints.ts';
import { randomHex } from '../platform/ids.ts';
import { createSamlRedirect } from '../platform/saml/saml-redirect.ts';
import { createSamlReaderWorker } from '../platform/saml/saml-reader-worker.ts';
import type { SsoSettingsService } from '../resources/organization/sso-settings/sso-settings.service.ts';
import type { AccountLinkingService } from '../resources/sign-on/login/account-linking.service.ts';
import type { LoginRequestService } from '../resources/sign-on/login/login-requests.service.ts';
import type { LoginCompletionService } from '../resources/sign-on/login/login-completion.service.ts';
import { createSamlLogoutService } from '../resources/sign-on/saml/saml-logout.service.ts';
import { createSamlMessageService } from '../resources/sign-on/saml/saml-messages.service.ts';
import { createSamlService } from '../resources/sign-on/saml/saml.service.ts';
import type { Platform } from './platform.ts';
import type { Identity } from './identity.ts';

/** What every sign-on has in common. */
interface Common {
  attempts: LoginRequestService;
  endings: LoginCompletionService;
  arrivals: AccountLinkingService;
  ssoSettings: SsoSettingsService;
}

export function createSaml(platform: Platform, { sessions }: Identity, common: Common) {
  const { config, models, clock, logger, returnAddresses, publicUrl } = platform;
  const [key, certificate] = [config.ASSAY_SAML_KEY ?? null, config.ASSAY_SAML_CERTIFICATE ?? null];
  const samlReader = createSamlReaderWorker({ decryptionKey: key, log: logger });
  const samlMessages = createSamlMessageService({ models });
  const parts = {
    models,
    returnAddresses,
    clock,
    randomHex,
    ...common,
    messages: samlMessages,
    reader: samlReader,
    redirect: createSamlRedirect(key),
    places: samlEndpoints(publicUrl),
  };
  return {
    samlReader,
    samlMessages,
    saml: createSamlService({ ...parts, certificate }),
    samlLogout: createSamlLogoutService({ ...parts, sessions }),
  };
}
