// Creates every service of one instance, grouped by resource as the routes use them.
import type { Consumers } from '../ledger/follow/consumers.ts';
import { createKmsNoteKey } from '../platform/signer/kms-note-key.ts';
import { createLogKeyService } from '../resources/log/keys/log-keys.service.ts';
import { createMailDelivery, MAIL_TOPIC } from '../platform/mail/mail-delivery.ts';
import { AWAITED, createThrottle } from '../platform/concurrency/adaptive-throttle.ts';
import { createAccessService } from '../resources/access/access.service.ts';
import { createGuardianService } from '../resources/guardian/guardian.service.ts';
import { createAuditLogService } from '../resources/audit/audit-log.service.ts';
import { createAuditService } from '../resources/audit/audit.service.ts';
import { createAuditExportService } from '../resources/audit/export/audit-export.service.ts';
import { ATTESTATION_TOPIC } from '../resources/hash-chain/attestation-topic.ts';
import { createAttestationService } from '../resources/hash-chain/attestations.service.ts';
import { createChainCheckService } from '../resources/hash-chain/chain-checks.service.ts';
import { createChainReleaseService } from '../resources/hash-chain/chain-release.service.ts';
import { createReadiness } from '../resources/health/readiness.service.ts';
import { createBroadcastMailService } from '../resources/notifications/broadcast-mails.service.ts';
import { createDemoRequestService } from '../resources/demo-requests/demo-requests.service.ts';
import { createNoticeDigests } from '../resources/notifications/notices/notice-digests.service.ts';
import { createNoticeMailService } from '../resources/notifications/notices/notice-mails.service.ts';
import { createNotificationService } from '../resources/notifications/notifications.service.ts';
import { createOrganizationDeletionService } from '../resources/organization/deletion/organization-deletion.service.ts';
import { createAskedActs } from '../resources/otlp/asked-acts.service.ts';
import { createOtlpService } from '../resources/otlp/otlp.service.ts';
import { createOtlpWorker } from '../resources/otlp/otlp-worker.ts';
import { createSpanCounts } from '../resources/otlp/span-counts.service.ts';
import { createReplayRunner } from '../resources/policies/replay/replay-runner.service.ts';
import { CANCELLATION_TOPIC } from '../resources/billing/cancellations.service.ts';
import { OVERAGE_TOPIC } from '../resources/usage/usage.consumer.ts';
import { createWitnessService } from '../resources/witness/witness.service.ts';
import { createBilling, createPayments } from './billing.ts';
import { createDecisions } from './decisions.ts';
import { createScim, createTeam } from './directory.ts';
import { createEvents } from './events.ts';
import { createLogs } from './logs.ts';
import { createIdentity } from './identity.ts';
import { createOutboxWorkers } from '../platform/outbox/outbox-workers.ts';
import type { Platform } from '../platform/platform.ts';
import { createIngestionWorker } from '../resources/traces/ingestion/ingestion-worker.ts';
import { createReviewExpiry } from '../resources/traces/review/review-expiry.service.ts';
import type { Background, Listeners, Services } from '../services.ts';
import { createEvidence, createGovernance, createProvenance, createSigning } from './governance.ts';
import { createReplayWorker } from '../resources/policies/replay/replay-worker.ts';
import { createSignOn } from './sign-on.ts';
import { findPool } from './platform.ts';

export function createServices(
  platform: Platform,
  { consumers, listeners }: { consumers: Consumers; listeners: Listeners },
): { routes: Services; background: Background } {
  const audit = createAuditService(platform);
  const logKeys = createLogKeyService(platform, {
    openKmsKey: createKmsNoteKey(platform.config),
  });
  const auditLog = createAuditLogService(platform, { logKeys });
  const auditExports = createAuditExportService(platform);
  const payments = createPayments(platform);
  const identity = createIdentity(platform, {
    audit,
    auditLog,
    cancellations: payments.cancellations,
    consumers,
    managerNotices: listeners.managerNotices,
  });
  const { organizations, memberships, workspaces, auth } = identity;
  const team = createTeam(platform, identity);
  const { tokens: scimTokens, ...scim } = createScim(platform, identity);
  const { signOn, ssoSettings, ssoDomains, providerMetadata, ...signOnParts } = createSignOn(
    platform,
    { audit, identity },
  );
  const signing = createSigning(platform);
  const { signer, keys } = signing;
  const largeBodies = createIngestionWorker(platform);
  const logs = createLogs(platform, { audit, keys: logKeys });
  const decisions = createDecisions(platform, {
    ...logs.parts,
    audit,
    identity,
    signing,
    consumers,
    listeners,
    largeBodies,
    usedMessages: signOnParts.usedMessages,
  });
  const { bulk } = decisions.traces;
  const deletion = createOrganizationDeletionService(platform, {
    memberships,
    organizationEnd: identity.organizationEnd,
    bulk,
    audit,
  });
  const attestations = createAttestationService(platform);
  const readiness = createReadiness(platform);
  const chainRelease = createChainReleaseService(platform, { audit });
  const replayJudge = createReplayWorker(platform);
  const replayRunner = createReplayRunner(platform, {
    replayJudge,
    pace: createThrottle(),
    firstPace: createThrottle(AWAITED),
  });

  const { spanCounts, otlpWorker, otlp } = createSpanIntake(platform, decisions.traces);
  const billing = createBilling(platform, { ...payments, spanCounts });
  const { notices } = listeners;
  const governance = createGovernance(platform, { audit, attestations, identity, notices });

  const cpi = decisions.cpi.index;
  const { eventCards } = decisions.held;
  const events = createEvents(platform, { audit, identity, listeners, cpi, eventCards });
  const notifications = createNotificationService(platform);
  const notificationMails = createNotificationMails(platform, decisions.held.mails);

  const traces = decisions.traces.reader;
  const provenance = createProvenance(platform, { signer, keys, attestations, traces });

  const { bundles, verification } = decisions.hashChain;
  const chainChecks = createChainCheckService(platform, { ...logs.jobs, verification, auditLog });
  const sealed = { attestations, bulk, bundles, verification };
  const evidence = createEvidence(platform, { ...signing, ...sealed, ...logs.parts, notices });

  const demoRequests = createDemoRequestService(platform);
  const gossip = createWitnessService(platform, { signer });

  const mails = {
    ...demoRequests.mails,
    ...auth.emailLinks.mails,
    ...identity.reclaims.mails,
    ...team.invitations.mails,
    ...notificationMails,
    ...events.mails,
  };
  const outboxWorkers = createWorkers(platform, mails, {
    [ATTESTATION_TOPIC]: attestations,
    [CANCELLATION_TOPIC]: payments.cancellations,
    [OVERAGE_TOPIC]: { deliver: billing.billing.reportOverage },
    ...events.deliverers,
  });

  const { held: _held, executionLeases, ...decisionServices } = decisions;
  return {
    /** Services that handlers get. */
    routes: {
      ...billing,
      ...decisionServices,
      ...governance.routes,
      access: createAccessService(platform, decisions.traces),
      guardian: createGuardianService(platform, {
        permissions: decisions.traces.permissions,
        usedMessages: signOnParts.usedMessages,
      }),
      alerts: events.alerts,
      audit,
      auditBundles: evidence.auditBundles,
      auditExports,
      auditLog,
      auth,
      demoRequests,
      erasure: evidence.erasure,
      logs: { publication: logs.publication, promiseChecks: logs.promiseChecks },
      notifications,
      otlp,
      organization: {
        profile: organizations,
        deletion,
        reclaims: identity.reclaims,
        workspaces,
        ssoSettings,
        ssoDomains,
        providerMetadata,
        scimTokens,
      },
      provenance,
      readiness,
      scim,
      signOn,
      team,
      webhooks: events.webhooks,
      witness: { gossip, cosigning: logs.cosigning },
    },
    /** Services that run without a request. */
    background: {
      attestations,
      audit,
      chainChecks,
      chainRelease,
      clockBreaches: governance.clockBreaches,
      deletion,
      epochRoll: evidence.epochRoll,
      erasureExecution: evidence.erasureExecution,
      executionLeases,
      failures: identity.failures,
      incidentReminders: governance.incidentReminders,
      memory: listeners.memory,
      noticeDigests: createNoticeDigests(platform),
      largeBodies,
      otlpWorker,
      ...logs.jobs,
      outboxWorkers,
      replayJudge,
      replayRunner,
      reviewExpiry: createReviewExpiry(platform),
      reviewReminders: decisions.held.reminders,
      ...signOnParts,
    },
  };
}

/** The intake of spans, and what it counts. */
function createSpanIntake(
  platform: Platform,
  { batches, reader, executions }: Pick<Services['traces'], 'batches' | 'reader' | 'executions'>,
) {
  const spanCounts = createSpanCounts(platform);
  const otlpWorker = createOtlpWorker(platform);
  const askedActs = createAskedActs({ decisions: reader, executions });
  const parts = { batches, askedActs, worker: otlpWorker, spanCounts };
  return { spanCounts, otlpWorker, otlp: createOtlpService(parts) };
}

/** Composers of the mails of notifications. */
function createNotificationMails(
  platform: Platform,
  reviewMails: Parameters<typeof createNoticeMailService>[1],
) {
  const broadcasts = createBroadcastMailService(platform);
  const notices = createNoticeMailService(platform, reviewMails);
  return { ...broadcasts.mails, ...notices.mails };
}

function createWorkers(
  platform: Platform,
  mails: Parameters<typeof createMailDelivery>[1],
  deliverers: Parameters<typeof createOutboxWorkers>[1],
) {
  const mailing = { deliver: createMailDelivery(platform.mailer, mails) };
  return createOutboxWorkers(platform, { ...deliverers, [MAIL_TOPIC]: mailing }, findPool);
}
