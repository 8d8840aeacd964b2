// Creates the workers of an instance's outbox: who composes its mails, and who delivers each topic.
import { MAIL_TOPIC } from '../domain/events/mail-row.ts';
import { createMailDelivery } from '../platform/mail/mail-delivery.ts';
import { ATTESTATION_TOPIC } from '../evidence/hash-chain/attestation-topic.ts';
import { deliverAttestation } from '../evidence/hash-chain/attestations.service.ts';
import { composeDemoRequest } from '../governance/demo-requests/demo-requests.service.ts';
import { composeReportMail } from '../governance/compliance/reports/report-mails.service.ts';
import { REPORT_MAIL } from '../governance/compliance/reports/schedule.service.ts';
import { reportOverage } from '../governance/billing/billing.service.ts';
import {
  CANCELLATION_TOPIC,
  deliverCancellation,
} from '../governance/billing/cancellations.service.ts';
import { deliverHalt } from '../governance/halts/due-halts.service.ts';
import { HALT_TOPIC } from '../governance/halts/halt-topic.ts';
import { OVERAGE_TOPIC } from '../governance/usage/usage.consumer.ts';
import { DIGEST_MAIL } from '../events/notifications/notices/notice-digests.service.ts';
import { NOTICE_MAIL } from '../domain/events/event-table.ts';
import { EVENT_TOPIC } from '../domain/events/events.ts';
import { ALERT_TOPIC } from '../events/alerts/alert-matches.ts';
import { createEmailLinkMails } from '../identity/auth/email-links/email-links.service.ts';
import { composeInvitation } from '../identity/team/invitation-mails.service.ts';
import { createReclaimMails } from '../identity/auth/reclaim/reclaim.mails.ts';
import { createOutboxWorkers, type OutboxWorkers } from '../platform/outbox/outbox-workers.ts';
import type { Platform } from '../platform/platform.ts';
import { findPool } from './platform.ts';
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

export function createOutbox(platform: Platform): OutboxWorkers {
  const mails = joinComposers(createEmailLinkMails(platform), createReclaimMails(platform), {
    demoRequest: (row) => composeDemoRequest(platform, row),
    invitation: (row) => composeInvitation(platform, row),
    [NOTICE_MAIL]: (row) => composeNoticeMail(platform, row),
    [DIGEST_MAIL]: (row) => composeDigestMail(platform, row),
    broadcast: (row) => composeBroadcastMail(platform, row),
    webhookSwitchedOff: (row) => composeSwitchedOffMail(platform, row),
    alert: (row) => composeAlertMail(platform, row),
    [REPORT_MAIL]: (row) => composeReportMail(platform, row),
  });
  return createWorkers(platform, mails, {
    // Attestations of one record share a lane, and are appended in the order of its changes.
    [ATTESTATION_TOPIC]: {
      isOrdered: true,
      deliver: (row) => deliverAttestation(platform, row),
    },
    // Rows about one member share a lane.
    [HALT_TOPIC]: { isOrdered: true, deliver: (row) => deliverHalt(platform, row) },
    [CANCELLATION_TOPIC]: { deliver: (row) => deliverCancellation(platform, row) },
    [OVERAGE_TOPIC]: { deliver: (row) => reportOverage(platform, row) },
    [EVENT_TOPIC]: { deliverTogether: (rows) => fanOutEvents(platform, rows) },
    webhook: {
      deliver: (row, hints) => deliverEvent(platform, row, hints),
      delivered: (rows) => countDelivered(platform, rows),
    },
    [ALERT_TOPIC]: { deliver: (row, hints) => deliverAction(platform, row, hints) },
  });
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
