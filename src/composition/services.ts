// Creates every service of one instance, grouped by resource as the routes use them.
import type { Consumers } from '../ledger/follow/consumers.ts';
import { createKmsNoteKey } from '../platform/signer/kms-note-key.ts';
import { createLogKeyService } from '../evidence/log/keys/log-keys.service.ts';
import { MAIL_TOPIC } from '../domain/events/mail-row.ts';
import { createMailDelivery } from '../platform/mail/mail-delivery.ts';
import { createAccessRequestService } from '../decisions/authzen/access-requests.service.ts';
import { createAuthzenService } from '../decisions/authzen/authzen.service.ts';
import { createAuditLogService } from '../identity/audit/audit-log.service.ts';
import { openAudit } from '../identity/audit/audit.service.ts';
import { createAuditExportService } from '../identity/audit/export/audit-export.service.ts';
import { ATTESTATION_TOPIC } from '../evidence/hash-chain/attestation-topic.ts';
import { openAttestations } from '../evidence/hash-chain/attestations.service.ts';
import { createChainCheckService } from '../evidence/hash-chain/chain-checks.service.ts';
import { createChainReleaseService } from '../evidence/hash-chain/chain-release.service.ts';
import { authenticateFeed } from '../governance/incidents/calendar/calendar-feeds.service.ts';
import { createReadiness } from '../governance/health/readiness.service.ts';
import { createDemoRequestService } from '../governance/demo-requests/demo-requests.service.ts';
import { createNoticeDigests } from '../events/notifications/notices/notice-digests.service.ts';
import { createNotificationService } from '../events/notifications/notifications.service.ts';
import { createOrganizationDeletionService } from '../identity/organization/deletion/organization-deletion.service.ts';
import { CANCELLATION_TOPIC } from '../governance/billing/cancellations.service.ts';
import { OVERAGE_TOPIC } from '../governance/usage/usage.consumer.ts';
import { createWitnessService } from '../evidence/witness/witness.service.ts';
import { createBilling, createPayments } from './billing.ts';
import { createDecisions } from './decisions.ts';
import { createScim, createTeam } from './directory.ts';
import { createEvents } from './events.ts';
import { createLogs } from './logs.ts';
import { createIdentity } from './identity.ts';
import { createOutboxWorkers } from '../platform/outbox/outbox-workers.ts';
import type { Platform } from '../platform/platform.ts';
import { loadTrace } from '../decisions/traces/traces.service.ts';
import { removeDecisions } from '../decisions/traces/bulk/bulk.service.ts';
import { createEvidence, createProvenance, createSigning } from './evidence.ts';
import type { Background, Listeners, Services } from '../services.ts';
import { createSignOn } from './sign-on.ts';
import { findPool } from './platform.ts';

interface Deps {
  consumers: Consumers;
  listeners: Listeners;
}

/** Creates the services of every theme, each after those that it needs. */
function createThemes(platform: Platform, { consumers, listeners }: Deps) {
  const { notices, readers } = listeners;
  const audit = openAudit(platform);
  const logKeys = createLogKeyService(platform, {
    openKmsKey: createKmsNoteKey(platform.config),
  });
  const auditLog = createAuditLogService(platform, { logKeys });
  const { payments, cancellations } = createPayments(platform);
  const identity = createIdentity(platform, {
    audit,
    auditLog,
    cancellations,
    consumers,
    listeners,
  });
  const { memberships } = identity;
  const team = createTeam(platform, { identity, readers });
  const scim = createScim(platform, { identity, readers });
  const signOn = createSignOn(platform, { audit, identity, notices, readers });
  const signing = createSigning(platform);
  const logs = createLogs(platform, {
    audit,
    keys: logKeys,
    organizationFacts: readers.organizationFacts,
  });
  const decisions = createDecisions(platform, {
    logs,
    audit,
    identity,
    signing,
    consumers,
    listeners,
    usedMessages: signOn.usedMessages,
    exchange: signOn.exchange,
  });
  const { hashChain } = decisions;
  const attestations = openAttestations(platform);
  const deletion = createOrganizationDeletionService(platform, {
    memberships,
    organizationEnd: identity.organizationEnd,
    bulk: { remove: (tenant, ...which) => removeDecisions({ platform, tenant }, ...which) },
    audit,
  });
  const billing = createBilling(platform, {
    payments,
    cancellations,
    organizationFacts: readers.organizationFacts,
  });
  const events = createEvents(platform, {
    audit,
    identity,
    listeners,
  });
  const provenance = createProvenance(platform, { signing, attestations, readers });
  const evidence = createEvidence(platform, {
    signing,
    attestations,
    bundles: hashChain.bundles,
    verification: hashChain.verification,
    notices,
    logKeys,
  });
  return {
    audit,
    auditLog,
    cancellations,
    identity,
    team,
    scim,
    signOn,
    signing,
    logs,
    decisions,
    attestations,
    deletion,
    billing,
    events,
    provenance,
    evidence,
  };
}

export function createServices(
  platform: Platform,
  { consumers, listeners }: Deps,
): { routes: Services; background: Background } {
  const { readers } = listeners;
  const themes = createThemes(platform, { consumers, listeners });
  const { audit, auditLog, attestations, deletion, identity, signing, signOn, logs } = themes;
  const { billing, decisions, events, evidence, scim, team } = themes;
  const { organizations, workspaces, auth } = identity;
  const { traces, hashChain } = decisions;
  const demoRequests = createDemoRequestService(platform);
  const mails = joinComposers(
    demoRequests.mails,
    auth.emailLinks.mails,
    identity.reclaims.mails,
    team.invitations.mails,
    ...events.mails,
  );
  const outboxWorkers = createWorkers(platform, mails, {
    [ATTESTATION_TOPIC]: attestations,
    [CANCELLATION_TOPIC]: themes.cancellations,
    [OVERAGE_TOPIC]: { deliver: billing.billing.reportOverage },
    ...events.deliverers,
  });
  return {
    /** Services that handlers get. */
    routes: {
      accessRequests: createAccessRequestService(platform),
      authzen: createAuthzenService(platform, traces),
      agents: decisions.agents,
      alerts: events.alerts,
      audit,
      auditBundles: evidence.auditBundles,
      auditExports: createAuditExportService(platform, readers),
      auditLog,
      auth,
      billing: billing.billing,
      bridge: decisions.bridge,
      compliance: decisions.compliance,
      demoRequests,
      erasure: evidence.erasure,
      hashChain,
      authenticateFeed: (token) => authenticateFeed(platform, organizations, token),
      findProducer: async (tenant, name) => (await loadTrace({ platform, tenant }, name)).agentId,
      logs: {
        headsFiles: logs.headsFiles,
        publication: logs.publication,
        promiseChecks: logs.promiseChecks,
      },
      notifications: createNotificationService(platform, listeners.notices),
      organization: {
        profile: organizations,
        deletion,
        reclaims: identity.reclaims,
        secondWords: identity.secondWords,
        workspaces,
        ssoSettings: signOn.ssoSettings,
        ssoDomains: signOn.ssoDomains,
        providerMetadata: signOn.providerMetadata,
        scimTokens: scim.tokens,
      },
      payment: billing.payment,
      provenance: themes.provenance,
      readiness: createReadiness(platform),
      scim,
      signOn: signOn.signOn,
      team,
      traces,
      usage: billing.usage,
      webhooks: events.webhooks,
      witness: {
        gossip: createWitnessService(platform, { signer: signing.signer }),
        cosigning: logs.cosigning,
      },
    },
    /** Services that run without a request. */
    background: {
      attestations,
      audit,
      chainChecks: createChainCheckService(platform, {
        verification: hashChain.verification,
        auditLog,
        headsCheck: logs.headsCheck,
        organizationFacts: readers.organizationFacts,
      }),
      chainRelease: createChainReleaseService(platform, { audit }),
      deletion,
      epochRoll: evidence.epochRoll,
      erasureExecution: evidence.erasureExecution,
      failures: identity.failures,
      headsCheck: logs.headsCheck,
      logRelease: logs.logRelease,
      treeHeadSigning: logs.treeHeadSigning,
      logStamps: logs.logStamps,
      logWitnesses: logs.logWitnesses,
      notices: listeners.notices,
      noticeDigests: createNoticeDigests(platform, readers),
      outboxWorkers,
      ssoWarnings: signOn.ssoWarnings,
      usedMessages: signOn.usedMessages,
    },
  };
}

type MailComposers = Parameters<typeof createMailDelivery>[1];

/** Joins the composers of mails by kind. */
const joinComposers = (...groups: readonly MailComposers[]): MailComposers =>
  Object.assign({}, ...groups) as MailComposers;

function createWorkers(
  platform: Platform,
  mails: MailComposers,
  deliverers: Parameters<typeof createOutboxWorkers>[1],
) {
  const mailing = { deliver: createMailDelivery(platform.mailer, mails) };
  return createOutboxWorkers(platform, { ...deliverers, [MAIL_TOPIC]: mailing }, findPool);
}
