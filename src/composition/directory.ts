// Creates the services by which people join an organisation: invitations, team members, and its directory over SCIM.
import { createInviteeAccountService } from '../resources/auth/accounts/invitee-account.service.ts';
import { createVerifiedDomainService } from '../resources/organization/sso-domains/verified-domains.service.ts';
import { createDiscoveryService } from '../resources/scim/discovery/discovery.service.ts';
import { createScimGroupService } from '../resources/scim/groups/groups.service.ts';
import { createSearchService } from '../resources/scim/searches.service.ts';
import { createScimTokenService } from '../resources/scim/tokens/scim-tokens.service.ts';
import { createScimAccountService } from '../resources/scim/users/accounts.service.ts';
import { createPeopleService } from '../resources/scim/users/people.service.ts';
import { createScimUserService } from '../resources/scim/users/users.service.ts';
import { createAcceptanceService } from '../resources/team/acceptance.service.ts';
import { createInvitationMailService } from '../resources/team/invitation-mails.service.ts';
import { createInvitationQuotaService } from '../resources/team/invitation-quota.service.ts';
import { createInvitationService } from '../resources/team/invitations.service.ts';
import { createMemberService } from '../resources/team/members.service.ts';
import type { Identity } from './identity.ts';
import type { Platform } from '../platform/platform.ts';

export function createTeam(platform: Platform, { memberships, failures, auth }: Identity) {
  const { sessions } = auth;
  const inviteeAccounts = createInviteeAccountService(platform, { failures });
  const invitationMails = createInvitationMailService(platform);
  const invitationQuota = createInvitationQuotaService(platform);
  const invitations = createInvitationService(platform, {
    memberships,
    invitationMails,
    invitationQuota,
  });
  const acceptance = createAcceptanceService(platform, {
    invitations,
    memberships,
    inviteeAccounts,
    sessions,
  });
  const members = createMemberService(platform, { memberships });
  return { members, invitations, acceptance };
}

export function createScim(platform: Platform, { organizations, memberships, auth }: Identity) {
  const baseUrl = `${(platform.config.ASSAY_PUBLIC_URL ?? '').replace(/\/$/, '')}/scim/v2`;
  const { sessions } = auth;
  const people = createPeopleService(platform, { baseUrl });
  const verifiedDomains = createVerifiedDomainService(platform);
  const accounts = createScimAccountService(platform, { memberships, verifiedDomains });
  const users = createScimUserService(platform, { people, accounts, sessions, memberships });
  const groups = createScimGroupService(platform, { people, memberships, baseUrl });
  const searches = createSearchService({ people, groups });
  const discovery = createDiscoveryService({ baseUrl });
  const tokens = createScimTokenService(platform, { organizations });
  return { users, groups, searches, discovery, tokens };
}
