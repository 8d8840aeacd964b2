// Creates the services of identity: organisations, memberships, sessions, credentials and keys.
import type { Consumers } from '../ledger/follow/consumers.ts';
import type { AuditLogService } from '../identity/audit/audit-log.service.ts';
import type { AuditService } from '../identity/audit/audit.service.ts';
import { openAccountReader } from '../identity/auth/accounts/account-reader.service.ts';
import { createCredentialService } from '../identity/auth/accounts/credentials.service.ts';
import { createFoundingService } from '../identity/auth/accounts/founding.service.ts';
import { createLocalService } from '../identity/auth/accounts/local.service.ts';
import { createRegistrationService } from '../identity/auth/accounts/registration.service.ts';
import { createSignInFailures } from '../identity/auth/accounts/sign-in-failures.service.ts';
import { createDeviceLoginService } from '../identity/auth/device/device-logins.service.ts';
import { createEmailLinkService } from '../identity/auth/email-links/email-links.service.ts';
import { createOneTimeTokenService } from '../identity/auth/email-links/one-time-tokens.service.ts';
import { createKeyAuthenticationService } from '../identity/auth/keys/key-authentication.service.ts';
import { createKeyService } from '../identity/auth/keys/keys.service.ts';
import { createCodeService } from '../identity/auth/mfa/codes.service.ts';
import { createRunTokenService } from '../identity/agents/trusts/run-tokens.service.ts';
import { createTrustService } from '../identity/agents/trusts/trusts.service.ts';
import type { CancellationService } from '../governance/billing/cancellations.service.ts';
import { createEnrolmentService } from '../identity/auth/mfa/enrolment.service.ts';
import { createFreshProofService } from '../identity/auth/mfa/fresh-proof.service.ts';
import { createMfaService } from '../identity/auth/mfa/mfa.service.ts';
import { createSecondStepService } from '../identity/auth/mfa/second-step.service.ts';
import { createTryService } from '../identity/auth/mfa/tries.service.ts';
import { createProfileService } from '../identity/auth/profile/profile.service.ts';
import { createSessionService } from '../identity/auth/sessions/sessions.service.ts';
import { createStreamTokenService } from '../identity/auth/sessions/stream-tokens.service.ts';
import { createOrganizationEndService } from '../identity/organization/deletion/organization-end.service.ts';
import { createPresentMembers } from '../identity/organization/memberships/present-members.service.ts';
import { openOrganizationFacts } from '../identity/organization/organization-facts.service.ts';
import { openMemberships } from '../identity/organization/memberships/memberships.service.ts';
import { createReclaimService } from '../identity/auth/reclaim/reclaim.service.ts';
import { createOrganizationService } from '../identity/organization/organization.service.ts';
import { createPolicyApprovalSwitch } from '../identity/organization/policy-approval-switch.service.ts';
import { createSecondWords } from '../identity/organization/second-words.service.ts';
import { createAutoApprovalSwitch } from '../identity/organization/workspaces/auto-approval-switch.service.ts';
import { createWorkspaceService } from '../identity/organization/workspaces/workspaces.service.ts';
import type { Listeners, Readers } from '../services.ts';
import type { Platform } from '../platform/platform.ts';

/** Creates the readers by which a resource reads what another one stores. */
export function createReaders(platform: Platform): Readers {
  return {
    organizationFacts: openOrganizationFacts(platform),
    presentMembers: createPresentMembers(platform),
    accountReader: openAccountReader(platform),
  };
}

interface Deps {
  audit: AuditService;
  auditLog: AuditLogService;
  cancellations: CancellationService;
  consumers: Consumers;
  listeners: Listeners;
}

export function createIdentity(
  platform: Platform,
  { audit, auditLog, cancellations, consumers, listeners }: Deps,
) {
  const { readers } = listeners;
  const { notify } = listeners.notices;
  const openLedger = (organizationId: string): Promise<void> =>
    consumers.createCursors(organizationId, 0);
  const secondWords = createSecondWords(platform, { notify });
  const policyApprovalSwitch = createPolicyApprovalSwitch(platform, { secondWords });
  const organizations = createOrganizationService(platform, {
    policyApprovalSwitch,
    notify,
    openLedger,
  });
  const memberships = openMemberships(platform);
  const autoApprovalSwitch = createAutoApprovalSwitch(platform, { organizations, secondWords });
  const workspaces = createWorkspaceService(platform, {
    memberships,
    autoApprovalSwitch,
    notify,
  });
  const oneTimeTokens = createOneTimeTokenService(platform);
  const sessions = createSessionService(platform, {
    oneTimeTokens,
    organizations,
    memberships,
    auditLog,
  });
  const failures = createSignInFailures(platform, { sessions, audit });
  const organizationEnd = createOrganizationEndService(platform, { cancellations, memberships });
  const reclaims = createReclaimService(platform, { memberships, audit });
  const founding = createFoundingService(platform, { organizations, memberships });
  const credentials = createCredentialService(platform, {
    sessions,
    memberships,
    oneTimeTokens,
    founding,
    reclaims,
  });
  const registration = createRegistrationService(platform, {
    sessions,
    memberships,
    founding,
    reclaims,
  });
  const local = createLocalService(platform, {
    sessions,
    failures,
    credentials,
    oneTimeTokens,
    registration,
    organizationFacts: readers.organizationFacts,
  });
  const emailLinks = createEmailLinkService(platform, {
    sessions,
    failures,
    credentials,
    oneTimeTokens,
  });
  const codes = createCodeService(platform);
  const tries = createTryService(platform);
  const enrolment = createEnrolmentService(platform, { codes });
  const freshProof = createFreshProofService(platform, { codes, tries, sessions });
  const mfa = createMfaService(platform, {
    enrolment,
    codes,
    tries,
    freshProof,
    sessions,
    memberships,
    notify,
  });
  const secondStep = createSecondStepService(platform, {
    codes,
    tries,
    enrolment,
    sessions,
    failures,
    oneTimeTokens,
  });
  const streamTokens = createStreamTokenService(platform, { sessions, oneTimeTokens });
  const profile = createProfileService(platform, { auditLog });
  const runTokens = createRunTokenService(platform);
  const keyAuthentication = createKeyAuthenticationService(platform, {
    organizations,
    workspaces,
    runTokens,
  });
  const keys = createKeyService(platform, { memberships, workspaces, keyAuthentication });
  return {
    organizations,
    memberships,
    workspaces,
    oneTimeTokens,
    failures,
    credentials,
    registration,
    organizationEnd,
    reclaims,
    runTokens,
    secondWords,
    trusts: createTrustService(platform, { memberships, runTokens }),
    /** The services that the routes below `/auth` use. */
    auth: {
      local,
      emailLinks,
      mfa,
      secondStep,
      sessions,
      streamTokens,
      deviceLogins: createDeviceLoginService(platform, { sessions }),
      profile,
      keys,
      keyAuthentication,
    },
  };
}
export type Identity = ReturnType<typeof createIdentity>;
