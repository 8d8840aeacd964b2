// Signing on by SAML 2.0, and out again.
import { samlPlaces } from '../domain/saml/places.ts';
import { randomHex } from '../infra/ids.ts';
import { createSamlRedirect } from '../infra/saml-redirect.ts';
import { createSamlReader } from '../infra/saml-thread.ts';
import type { SsoSettingsService } from '../resources/organization/sso-settings.service.ts';
import type { ArrivalService } from '../resources/sign-on/arrivals.service.ts';
import type { AttemptService } from '../resources/sign-on/attempts.service.ts';
import type { EndingService } from '../resources/sign-on/endings.service.ts';
import { createSamlLogoutService } from '../resources/sign-on/saml-logout.service.ts';
import { createSamlMessageService } from '../resources/sign-on/saml-messages.service.ts';
import { createSamlService } from '../resources/sign-on/saml.service.ts';
import type { Frame } from './frame.ts';
import type { Identity } from './identity.ts';

/** What every sign-on has in common. */
interface Common {
  attempts: AttemptService;
  endings: EndingService;
  arrivals: ArrivalService;
  ssoSettings: SsoSettingsService;
}

export function createSaml(frame: Frame, { sessions }: Identity, common: Common) {
  const { config, models, clock, logger, returnAddresses, publicUrl } = frame;
  const [key, certificate] = [config.ASSAY_SAML_KEY ?? null, config.ASSAY_SAML_CERTIFICATE ?? null];
  const samlReader = createSamlReader({ decryptionKey: key, log: logger });
  const samlMessages = createSamlMessageService({ models });
  const parts = {
    ...{ models, returnAddresses, clock, randomHex, ...common },
    ...{ messages: samlMessages, reader: samlReader, redirect: createSamlRedirect(key), places: samlPlaces(publicUrl) },
  };
  return {
    ...{ samlReader, samlMessages },
    saml: createSamlService({ ...parts, certificate }),
    samlLogout: createSamlLogoutService({ ...parts, sessions }),
  };
}
