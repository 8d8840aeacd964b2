// Creates the services by which people join an organisation: invitations, team members, and its directory over SCIM.
import { createInviteeAccountService } from '../identity/auth/accounts/invitee-account.service.ts';
import { createVerifiedDomainService } from '../identity/organization/sso-domains/verified-domains.service.ts';
import { createDiscoveryService } from '../identity/scim/discovery/discovery.service.ts';
import { createScimGroupService } from '../identity/scim/groups/groups.service.ts';
import { createSearchService } from '../identity/scim/searches.service.ts';
import { createScimTokenService } from '../identity/scim/tokens/scim-tokens.service.ts';
import { createScimAccountService } from '../identity/scim/users/accounts.service.ts';
import { createPeopleService } from '../identity/scim/users/people.service.ts';
import { createScimUserService } from '../identity/scim/users/users.service.ts';
import { createAcceptanceService } from '../identity/team/acceptance.service.ts';
import { createInvitationMailService } from '../identity/team/invitation-mails.service.ts';
import { createInvitationQuotaService } from '../identity/team/invitation-quota.service.ts';
import { createInvitationService } from '../identity/team/invitations.service.ts';
import { createMemberService } from '../identity/team/members.service.ts';
import type { Readers } from '../services.ts';
import type { Identity } from './identity.ts';
import type { Platform } from '../platform/platform.ts';

interface Deps {
  identity: Identity;
  readers: Readers;
}

export function createTeam(platform: Platform, { identity, readers }: Deps) {
  const { memberships, failures, auth } = identity;
  const { accountReader, organizationFacts } = readers;
  const { keys, sessions } = auth;
  const inviteeAccounts = createInviteeAccountService(platform, { failures });
  const invitationMails = createInvitationMailService(platform, readers);
  const invitationQuota = createInvitationQuotaService(platform);
  const invitations = createInvitationService(platform, {
    accountReader,
    memberships,
    invitationMails,
    invitationQuota,
  });
  const acceptance = createAcceptanceService(platform, {
    invitations,
    memberships,
    inviteeAccounts,
    sessions,
    organizationFacts,
  });
  const members = createMemberService({ accountReader, keys, memberships });
  return { members, invitations, acceptance };
}

export function createScim(platform: Platform, { identity, readers }: Deps) {
  const { organizations, memberships, auth } = identity;
  const { accountReader, organizationFacts } = readers;
  const baseUrl = `${(platform.config.ASSAY_PUBLIC_URL ?? '').replace(/\/$/, '')}/scim/v2`;
  const { sessions } = auth;
  const people = createPeopleService(platform, { accountReader, memberships, baseUrl });
  const verifiedDomains = createVerifiedDomainService(platform);
  const accounts = createScimAccountService(platform, {
    accountReader,
    memberships,
    verifiedDomains,
  });
  const users = createScimUserService({
    people,
    accounts,
    sessions,
    memberships,
    organizationFacts,
  });
  const groups = createScimGroupService({ people, memberships, organizationFacts, baseUrl });
  const searches = createSearchService({ people, groups });
  const discovery = createDiscoveryService({ baseUrl });
  const tokens = createScimTokenService(platform, { organizations });
  return { users, groups, searches, discovery, tokens };
}
