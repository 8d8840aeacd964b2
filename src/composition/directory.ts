// How people come into an organisation: invitations, the team's own changes, and the organisation's directory over SCIM.
import { newId, randomHex } from '../platform/ids.ts';
import { createInviteeAccountService } from '../resources/auth/accounts/invitee-account.service.ts';
import { hashKey } from '../resources/auth/keys/keys.service.ts';
import { createAccountService } from '../resources/scim/users/accounts.service.ts';
import { createDiscoveryService } from '../resources/scim/discovery/discovery.service.ts';
import { createScimGroupService } from '../resources/scim/groups/groups.service.ts';
import { createPeopleService } from '../resources/scim/users/people.service.ts';
import { createScimTokenService } from '../resources/scim/tokens/scim-tokens.service.ts';
import { createSearchService } from '../resources/scim/searches.service.ts';
import { createScimUserService } from '../resources/scim/users/users.service.ts';
import { createAcceptanceService } from '../resources/team/acceptance.service.ts';
import { createInvitationService } from '../resources/team/invitations.service.ts';
import { createMemberService } from '../resources/team/members.service.ts';
import type { Platform } from './platform.ts';
import type { Identity } from './identity.ts';

export function createDirectory(platform: Platform, identity: Identity) {
  const { models, clock, passwords, transaction, config, secrets } = platform;
  const { organizations, memberships, sessions, failures } = identity;
  const baseUrl = `${(config.ASSAY_PUBLIC_URL ?? '').replace(/\/$/, '')}/scim/v2`;
  const people = createPeopleService({ models, baseUrl });
  const accounts = createAccountService({ models, newId });
  const scimGroups = createScimGroupService({ models, people, memberships, baseUrl });
  const invitations = createInvitationService({
    models,
    memberships,
    clock,
    newId,
    tokenKey: secrets.ledgerKey,
    publicUrl: platform.publicUrl,
    queueMail: platform.queueMail,
  });
  return {
    scimGroups,
    invitations,
    scimTokens: createScimTokenService({ models, organizations, randomHex, hashKey }),
    scimUsers: createScimUserService({ models, people, accounts, sessions, memberships }),
    scimSearches: createSearchService({ people, groups: scimGroups }),
    scimDiscovery: createDiscoveryService({ baseUrl }),
    members: createMemberService({ models, memberships }),
    acceptance: createAcceptanceService({
      models,
      invitations,
      memberships,
      sessions,
      transaction,
      invited: createInviteeAccountService({ models, passwords, failures, clock }),
    }),
  };
}
