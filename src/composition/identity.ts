// Who somebody is and where they belong: organisations, sessions, credentials, keys.
import { createCache } from '../platform/mongo/cache.ts';
import { newId, randomCode, randomHex, randomToken } from '../platform/ids.ts';
import { NO_ORGANIZATION } from '../platform/mail/mail-delivery.ts';
import { createSessionTokens, createTempTokens } from '../platform/secrets/tokens.ts';
import { createTotp } from '../platform/secrets/totp.ts';
import { createCredentialService } from '../resources/auth/accounts/credentials.service.ts';
import { createRegistrationService } from '../resources/auth/accounts/registration.service.ts';
import { createKeyService, type KeyIdentity } from '../resources/auth/keys/keys.service.ts';
import { createEmailLinkService } from '../resources/auth/email-links/email-links.service.ts';
import { createLocalService } from '../resources/auth/accounts/local.service.ts';
import { createMfaService } from '../resources/auth/mfa/mfa.service.ts';
import { createOneTimeTokenService } from '../resources/auth/email-links/one-time-tokens.service.ts';
import { createProfileService } from '../resources/auth/profile/profile.service.ts';
import { createSessionService } from '../resources/auth/sessions/sessions.service.ts';
import { createSignInFailures } from '../resources/auth/accounts/sign-in-failures.service.ts';
import { createStreamTokenService } from '../resources/auth/sessions/stream-tokens.service.ts';
import { createMembershipService } from '../resources/organization/memberships/memberships.service.ts';
import {
  createOrganizationService,
  type OrganizationContext,
} from '../resources/organization/organization.service.ts';
import { createWorkspaceService } from '../resources/organization/workspaces/workspaces.service.ts';
import type { Platform } from './platform.ts';

export function createIdentity(platform: Platform) {
  const {
    config,
    secrets,
    models,
    clock,
    feed,
    audit,
    passwords,
    vault,
    transaction,
    onCommit,
    publicUrl,
  } = platform;
  const signing = { secret: secrets.jwt, formerSecrets: secrets.formerJwt, clock };
  const tempTokens = createTempTokens(signing);
  const contexts = createCache<OrganizationContext>({
    feed,
    collections: ['organizations'],
    max: 10_000,
  });
  const organizations = createOrganizationService({
    models,
    contexts,
    newId,
    onCommit,
    defaultPlan: config.DEFAULT_PLAN,
    openLedger: (organizationId) => platform.consumers.cursorsFor(organizationId, 0),
  });
  const knownWorkspaces = createCache<true>({ feed, collections: ['workspaces'], max: 10_000 });
  const oneTimeTokens = createOneTimeTokenService({ models, clock, randomToken });
  const sessions = createSessionService({
    models,
    tempTokens,
    oneTimeTokens,
    organizations,
    audit,
    clock,
    tokens: createSessionTokens(signing),
    newJti: randomToken,
    systemOwners: config.SYSTEM_OWNERS,
  });
  const failures = createSignInFailures({ sessions, audit, log: platform.logger });
  const credentials = createCredentialService({ models, sessions, oneTimeTokens, clock });
  const doors = {
    models,
    sessions,
    failures,
    credentials,
    oneTimeTokens,
    passwords,
    clock,
    transaction,
  };
  const founding = createRegistrationService({
    models,
    sessions,
    organizations,
    clock,
    newId,
    registration: config.REGISTRATION,
  });
  const identities = createCache<KeyIdentity>({
    feed,
    collections: ['workspace_keys', 'agents'],
    max: 50_000,
  });
  return {
    organizations,
    oneTimeTokens,
    sessions,
    failures,
    credentials,
    founding,
    memberships: createMembershipService({ models }),
    workspaces: createWorkspaceService({ models, known: knownWorkspaces }),
    local: createLocalService({ ...doors, founding }),
    links: createEmailLinkService({
      ...doors,
      queueMail: (payload) => platform.queueMail(NO_ORGANIZATION, payload),
      publicUrl,
    }),
    mfa: createMfaService({ ...doors, tempTokens, vault, totp: createTotp(clock), randomCode }),
    streamTokens: createStreamTokenService({ sessions, oneTimeTokens, clock }),
    profile: createProfileService({ models, audit, clock }),
    keys: createKeyService({ models, organizations, identities, clock, randomHex, onCommit }),
    keyIdentities: identities,
    identityCaches: [contexts, knownWorkspaces, identities],
  };
}
export type Identity = ReturnType<typeof createIdentity>;
