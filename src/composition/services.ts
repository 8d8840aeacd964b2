// Creates every service of one instance, grouped by resource as the routes use them.
import type { Consumers } from '../ledger/follow/consumers.ts';
import { createKmsNoteKey } from '../platform/signer/kms-note-key.ts';
import { createLogKeyService } from '../evidence/log/keys/log-keys.service.ts';
import { MAIL_TOPIC } from '../domain/events/mail-row.ts';
import { createMailDelivery } from '../platform/mail/mail-delivery.ts';
import { ATTESTATION_TOPIC } from '../evidence/hash-chain/attestation-topic.ts';
import { deliverAttestation } from '../evidence/hash-chain/attestations.service.ts';
import { createChainCheckService } from '../evidence/hash-chain/chain-checks.service.ts';
import { createChainReleaseService } from '../evidence/hash-chain/chain-release.service.ts';
import { authenticateFeed } from '../governance/incidents/calendar/calendar-feeds.service.ts';
import { composeDemoRequest } from '../governance/demo-requests/demo-requests.service.ts';
import { createNoticeDigests } from '../events/notifications/notices/notice-digests.service.ts';
import { createNotificationService } from '../events/notifications/notifications.service.ts';
import { reportOverage } from '../governance/billing/billing.service.ts';
import {
  CANCELLATION_TOPIC,
  deliverCancellation,
  queueCancellation,
} from '../governance/billing/cancellations.service.ts';
import { OVERAGE_TOPIC } from '../governance/usage/usage.consumer.ts';
import { createWitnessService } from '../evidence/witness/witness.service.ts';
import { findOrganizationName } from '../identity/organization/organization-facts.service.ts';
import { forgetKeys } from '../identity/auth/keys/key-authentication.service.ts';
import { provideUpperRooms } from '../identity/upper-rooms.ts';
import { createEmailLinkMails } from '../identity/auth/email-links/email-links.service.ts';
import { composeInvitation } from '../identity/team/invitation-mails.service.ts';
import { endMemberSessions, endSignOns } from '../identity/auth/sessions/open-sessions.service.ts';
import { authenticateSession } from '../identity/auth/sessions/authentication.service.ts';
import { useMessageOnce } from '../identity/sign-on/login/used-messages.service.ts';
import { createReclaimMails } from '../identity/auth/reclaim/reclaim.mails.ts';
import { createEvents } from './events.ts';
import { createLogs } from './logs.ts';
import { createOutboxWorkers } from '../platform/outbox/outbox-workers.ts';
import type { Platform } from '../platform/platform.ts';
import { loadTrace } from '../decisions/traces/traces.service.ts';
import {
  countNamedVerdicts,
  findLastDecisionTime,
  listUnregisteredAgents,
} from '../decisions/traces/decision-lookup.service.ts';
import { removeDecisions } from '../decisions/traces/bulk/bulk.service.ts';
import { provideTraceNeighbours } from '../decisions/traces/neighbours.service.ts';
import { provideNeighbours } from '../policies/neighbours.ts';
import { loadPolicySet } from '../policies/policy-sets.service.ts';
import { countIncidents } from '../governance/incidents/incident-counts.service.ts';
import { createEvidence, createHashChain, createProvenance, createSigning } from './evidence.ts';
import type { Background, Listeners, Services } from '../services.ts';
import { findPool } from './platform.ts';

interface Deps {
  consumers: Consumers;
  listeners: Listeners;
}

/** Creates the services of every theme, each after those that it needs. */
function createThemes(platform: Platform, { consumers, listeners }: Deps) {
  const { notices } = listeners;
  const logKeys = createLogKeyService(platform, {
    openKmsKey: createKmsNoteKey(platform.config),
  });
  const signing = createSigning(platform);
  const logs = createLogs(platform, {
    keys: logKeys,
  });
  const hashChain = createHashChain(platform, { logs, signing });
  const { chain } = hashChain;
  provideTraceNeighbours(platform, {
    describeChain: (organizationId) => chain.describeStatus({ organizationId }),
    consumers,
    loadPolicySet: (place, traceId) => loadPolicySet(platform, place, traceId),
    notices,
    promises: logs.promises,
  });
  provideNeighbours(platform, {
    chain,
    countIncidents: (organizationId, scope) => countIncidents(platform, organizationId, scope),
    notices,
    signer: signing.signer,
  });
  provideUpperRooms(platform, {
    findOrganizationName: (organizationId) => findOrganizationName(platform, organizationId),
    forgetKeys: (organizationId) => forgetKeys(platform, organizationId),
    decisions: {
      findLastTime: (...name) => findLastDecisionTime(platform, ...name),
      countVerdicts: (...name) => countNamedVerdicts(platform, ...name),
      listUnregistered: (tenant) => listUnregisteredAgents(platform, tenant),
      findProducerId: async (tenant, name) => (await loadTrace({ platform, tenant }, name)).agentId,
    },
    endSignOns: (organizationId, staying) => endSignOns(platform, organizationId, staying),
    endMemberSessions: (organizationId, userId) =>
      endMemberSessions(platform, organizationId, userId),
    authenticateSession: (token) => authenticateSession(platform, token),
    useMessageOnce: (organizationId, message) => useMessageOnce(platform, organizationId, message),
    logKeys,
    notify: notices.notify,
    openLedger: (organizationId) => consumers.createCursors(organizationId, 0),
    queueCancellation: (subscription) => queueCancellation(platform, subscription),
    removeDecisions: (tenant, ...which) => removeDecisions({ platform, tenant }, ...which),
  });
  const events = createEvents(platform, {
    listeners,
  });
  const provenance = createProvenance(platform, { signing });
  const evidence = createEvidence(platform, {
    signing,
    bundles: hashChain.bundles,
    verification: hashChain.verification,
    notices,
    logKeys,
  });
  return {
    signing,
    logs,
    hashChain,
    events,
    provenance,
    evidence,
  };
}

export function createServices(
  platform: Platform,
  { consumers, listeners }: Deps,
): { routes: Services; background: Background } {
  const themes = createThemes(platform, { consumers, listeners });
  const { signing, logs } = themes;
  const { hashChain, events, evidence } = themes;
  const mails = joinComposers(
    createEmailLinkMails(platform),
    createReclaimMails(platform),
    {
      demoRequest: (row) => composeDemoRequest(platform, row),
      invitation: (row) => composeInvitation(platform, row),
    },
    ...events.mails,
  );
  const outboxWorkers = createWorkers(platform, mails, {
    // Attestations of one record share a lane, and are appended in the order of its changes.
    [ATTESTATION_TOPIC]: {
      isOrdered: true,
      deliver: (row) => deliverAttestation(platform, row),
    },
    [CANCELLATION_TOPIC]: { deliver: (row) => deliverCancellation(platform, row) },
    [OVERAGE_TOPIC]: { deliver: (row) => reportOverage(platform, row) },
    ...events.deliverers,
  });
  return {
    /** Services that handlers get. */
    routes: {
      alerts: events.alerts,
      auditBundles: evidence.auditBundles,
      erasure: evidence.erasure,
      hashChain,
      authenticateFeed: (token) => authenticateFeed(platform, token),
      logs: {
        headsFiles: logs.headsFiles,
        publication: logs.publication,
        promiseChecks: logs.promiseChecks,
      },
      notifications: createNotificationService(platform, listeners.notices),
      provenance: themes.provenance,
      webhooks: events.webhooks,
      witness: {
        gossip: createWitnessService(platform, { signer: signing.signer }),
        cosigning: logs.cosigning,
      },
    },
    /** Services that run without a request. */
    background: {
      chainChecks: createChainCheckService(platform, {
        verification: hashChain.verification,
        headsCheck: logs.headsCheck,
      }),
      chainRelease: createChainReleaseService(platform),
      epochRoll: evidence.epochRoll,
      erasureExecution: evidence.erasureExecution,
      headsCheck: logs.headsCheck,
      logRelease: logs.logRelease,
      treeHeadSigning: logs.treeHeadSigning,
      logStamps: logs.logStamps,
      logWitnesses: logs.logWitnesses,
      notices: listeners.notices,
      noticeDigests: createNoticeDigests(platform),
      outboxWorkers,
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
