// Signing on elsewhere: social login, and the identity providers of organisations.
import { newId, randomToken } from '../infra/ids.ts';
import { createSsoSettingsService } from '../resources/organization/sso-settings.service.ts';
import { createArrivalService } from '../resources/sign-on/arrivals.service.ts';
import { createAttemptService } from '../resources/sign-on/attempts.service.ts';
import { createEndingService } from '../resources/sign-on/endings.service.ts';
import type { Frame } from './frame.ts';
import type { Identity } from './identity.ts';

export function createSignOn(frame: Frame, identity: Identity) {
  const { models, clock, vault, audit, transaction, logger, http, publicUrl, returnAddresses } = frame;
  const { sessions, credentials, memberships, oneTimeTokens, organizations } = identity;
  const ssoSettings = createSsoSettingsService({ models, vault, sessions, organizations, http, clock, publicUrl });
  return {
    ssoSettings,
    attempts: createAttemptService({ oneTimeTokens, clock, randomToken }),
    endings: createEndingService({ audit, defaultReturn: returnAddresses[0], log: logger }),
    arrivals: createArrivalService({
      ...{ models, sessions, credentials, memberships, ssoSettings, clock, newId, transaction },
    }),
  };
}
