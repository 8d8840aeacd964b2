// Signing on elsewhere: social login, and the identity providers of organisations.
import { createDns } from '../infra/dns.ts';
import { newId, randomHex, randomToken } from '../infra/ids.ts';
import { createSsoDomainService } from '../resources/organization/sso-domains.service.ts';
import { createSsoSettingsService } from '../resources/organization/sso-settings.service.ts';
import { createArrivalService } from '../resources/sign-on/arrivals.service.ts';
import { createAttemptService } from '../resources/sign-on/attempts.service.ts';
import { createEndingService } from '../resources/sign-on/endings.service.ts';
import type { Frame } from './frame.ts';
import type { Identity } from './identity.ts';

/** For one look-up. */
const DNS_MS = 5000;

export function createSignOn(frame: Frame, identity: Identity) {
  const { models, clock, vault, audit, transaction, logger, http, publicUrl, returnAddresses } = frame;
  const { sessions, credentials, memberships, oneTimeTokens, organizations } = identity;
  const ssoSettings = createSsoSettingsService({ models, vault, sessions, organizations, http, clock, publicUrl });
  const dns = createDns({ servers: frame.config.ASSAY_DNS_SERVERS, timeoutMs: DNS_MS });
  return {
    ssoSettings,
    ssoDomains: createSsoDomainService({ models, memberships, audit, dns, clock, randomHex }),
    attempts: createAttemptService({ oneTimeTokens, clock, randomToken }),
    endings: createEndingService({ audit, defaultReturn: returnAddresses[0], log: logger }),
    arrivals: createArrivalService({
      ...{ models, sessions, credentials, memberships, ssoSettings, clock, newId, transaction },
    }),
  };
}
