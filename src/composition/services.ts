// Creates every service of one instance, grouped by resource as the routes use them.
import type { Consumers } from '../ledger/follow/consumers.ts';
import { judgeByLogKeys } from '../evidence/log/keys/log-keys.service.ts';
import { MAIL_TOPIC } from '../domain/events/mail-row.ts';
import { createMailDelivery } from '../platform/mail/mail-delivery.ts';
import { createAccessRequestService } from '../decisions/authzen/access-requests.service.ts';
import { createAuthzenService } from '../decisions/authzen/authzen.service.ts';
import { ATTESTATION_TOPIC } from '../evidence/hash-chain/attestation-topic.ts';
import { deliverAttestation } from '../evidence/hash-chain/attestations.service.ts';
import { authenticateFeed } from '../governance/incidents/calendar/calendar-feeds.service.ts';
import { createReadiness } from '../governance/health/readiness.service.ts';
import { createDemoRequestService } from '../governance/demo-requests/demo-requests.service.ts';
import { CANCELLATION_TOPIC } from '../governance/billing/cancellations.service.ts';
import { OVERAGE_TOPIC } from '../governance/usage/usage.consumer.ts';
import { findOrganizationName } from '../identity/organization/organization-facts.service.ts';
import { forgetKeys } from '../identity/auth/keys/key-authentication.service.ts';
import { provideUpperRooms } from '../identity/upper-rooms.ts';
import { provideDecisionReader } from '../events/upper-rooms.ts';
import { DIGEST_MAIL } from '../events/notifications/notices/notice-digests.service.ts';
import { NOTICE_MAIL } from '../domain/events/event-table.ts';
import { EVENT_TOPIC } from '../domain/events/events.ts';
import { ALERT_TOPIC } from '../events/alerts/alert-matches.ts';
import { loadCpiScore } from '../decisions/cpi/cpi.service.ts';
import { loadDecisionCard } from '../decisions/traces/review/notices/decision-cards.service.ts';
import { issueReviewLink } from '../decisions/traces/review/links/review-links.service.ts';

import { createEmailLinkMails } from '../identity/auth/email-links/email-links.service.ts';
import { composeInvitation } from '../identity/team/invitation-mails.service.ts';
import { endMemberSessions, endSignOns } from '../identity/auth/sessions/open-sessions.service.ts';
import { authenticateSession } from '../identity/auth/sessions/authentication.service.ts';
import { useMessageOnce } from '../identity/sign-on/login/used-messages.service.ts';
import { createReclaimMails } from '../identity/auth/reclaim/reclaim.mails.ts';
import { createBilling, createPayments } from './billing.ts';
import { createDecisions } from './decisions.ts';
import { createOutboxWorkers } from '../platform/outbox/outbox-workers.ts';
import type { Platform } from '../platform/platform.ts';
import { loadTrace } from '../decisions/traces/traces.service.ts';
import {
  countNamedVerdicts,
  findLastDecisionTime,
  listUnregisteredAgents,
} from '../decisions/traces/decision-lookup.service.ts';
import { removeDecisions } from '../decisions/traces/bulk/bulk.service.ts';
import type { Background, Services } from '../services.ts';
import { findPool } from './platform.ts';
import { notify } from '../events/notifications/notices/notices.service.ts';
import {
  composeNoticeMail,
  composeDigestMail,
  composeBroadcastMail,
} from '../events/notifications/notices/notice-mails.service.ts';
import { composeSwitchedOffMail } from '../events/webhooks/webhook-switch-off.service.ts';
import { composeAlertMail } from '../events/alerts/alert-mails.service.ts';
import { fanOutEvents } from '../events/webhooks/fan-out.service.ts';
import { deliverEvent, countDelivered } from '../events/webhooks/webhook-delivery.service.ts';
import { deliverAction } from '../events/alerts/alert-actions.service.ts';

interface Deps {
  consumers: Consumers;
}

/** Creates the services of every theme, each after those that it needs. */
function createThemes(platform: Platform, { consumers }: Deps) {
  const { payments, cancellations } = createPayments(platform);
  const decisions = createDecisions(platform, { consumers });
  const { cpiIndexOf = (organizationId: string) => loadCpiScore(platform, organizationId) } =
    platform;
  provideDecisionReader(platform, {
    findCard: (...which) => loadDecisionCard(platform, ...which),
    issueLink: (...which) => issueReviewLink(platform, ...which),
    loadCpiScore: cpiIndexOf,
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
    logKeys: { judgeByKeys: (judge) => judgeByLogKeys(platform, judge) },
    notify: (announcement) => notify(platform, announcement),
    openLedger: (organizationId) => consumers.createCursors(organizationId, 0),
    queueCancellation: (subscription) => cancellations.queue(subscription),
    removeDecisions: (tenant, ...which) => removeDecisions({ platform, tenant }, ...which),
  });
  const billing = createBilling(platform, { payments, cancellations });
  return { cancellations, decisions, billing };
}

export function createServices(
  platform: Platform,
  { consumers }: Deps,
): { routes: Services; background: Background } {
  const themes = createThemes(platform, { consumers });
  const { billing, decisions } = themes;
  const { traces } = decisions;
  const demoRequests = createDemoRequestService(platform);
  const mails = joinComposers(
    demoRequests.mails,
    createEmailLinkMails(platform),
    createReclaimMails(platform),
    {
      invitation: (row) => composeInvitation(platform, row),
      [NOTICE_MAIL]: (row) => composeNoticeMail(platform, row),
      [DIGEST_MAIL]: (row) => composeDigestMail(platform, row),
      broadcast: (row) => composeBroadcastMail(platform, row),
      webhookSwitchedOff: (row) => composeSwitchedOffMail(platform, row),
      alert: (row) => composeAlertMail(platform, row),
    },
  );
  const outboxWorkers = createWorkers(platform, mails, {
    // Attestations of one record share a lane, and are appended in the order of its changes.
    [ATTESTATION_TOPIC]: {
      isOrdered: true,
      deliver: (row) => deliverAttestation(platform, row),
    },
    [CANCELLATION_TOPIC]: themes.cancellations,
    [OVERAGE_TOPIC]: { deliver: billing.billing.reportOverage },
    [EVENT_TOPIC]: { deliverTogether: (rows) => fanOutEvents(platform, rows) },
    webhook: {
      deliver: (row, hints) => deliverEvent(platform, row, hints),
      delivered: (rows) => countDelivered(platform, rows),
    },
    [ALERT_TOPIC]: { deliver: (row, hints) => deliverAction(platform, row, hints) },
  });
  return {
    /** Services that handlers get. */
    routes: {
      accessRequests: createAccessRequestService(platform),
      authzen: createAuthzenService(platform),
      billing: billing.billing,
      bridge: decisions.bridge,
      compliance: decisions.compliance,
      demoRequests,
      authenticateFeed: (token) => authenticateFeed(platform, token),
      payment: billing.payment,
      readiness: createReadiness(platform),
      traces,
      usage: billing.usage,
    },
    /** Services that run without a request. */
    background: {
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
