// Creates what follows the ledger: its consumers, and the services that notify subscribers by webhooks and alerts.
import { EVENT_TOPIC } from '../domain/events/events.ts';
import { DECISIONS } from '../ledger/chains.ts';
import type { Consumer } from '../ledger/follow/consumer.ts';
import { type Consumers, createConsumers } from '../ledger/follow/consumers.ts';
import { systemTimer } from '../platform/concurrency/timer.ts';
import { renderMail } from '../platform/mail/mail-layout.ts';
import { createActiveRuleService } from '../events/alerts/active-rules.service.ts';
import { createAlertActions } from '../events/alerts/alert-actions.service.ts';
import { createAlertMailService } from '../events/alerts/alert-mails.service.ts';
import { ALERT_TOPIC } from '../events/alerts/alert-matches.ts';
import { createAlertService } from '../events/alerts/alerts.service.ts';
import { createCpiAlerts } from '../events/alerts/cpi-alerts.service.ts';
import { loadCpiScore } from '../decisions/cpi/cpi.service.ts';
import { createNoticeMailService } from '../events/notifications/notices/notice-mails.service.ts';
import { createNoticeService } from '../events/notifications/notices/notices.service.ts';
import { listOrganizationIds } from '../identity/organization/organization-facts.service.ts';
import { createFanOut } from '../events/webhooks/fan-out.service.ts';
import { createSubscriptionService } from '../events/webhooks/subscriptions.service.ts';
import { createWebhookDelivery } from '../events/webhooks/webhook-delivery.service.ts';
import { createWebhookLog } from '../events/webhooks/webhook-log.service.ts';
import { createWebhookSender } from '../events/webhooks/webhook-sender.service.ts';
import { createWebhookSwitchOff } from '../events/webhooks/webhook-switch-off.service.ts';
import { createWebhookService } from '../events/webhooks/webhooks.service.ts';
import { loadDecisionCard } from '../decisions/traces/review/notices/decision-cards.service.ts';
import { issueReviewLink } from '../decisions/traces/review/links/review-links.service.ts';
import { createEventCards } from '../events/cards/event-cards.service.ts';
import type { Listeners } from '../services.ts';
import type { Platform } from '../platform/platform.ts';

/** Creates the services that ledger consumers use. */
export function createListeners(platform: Platform): Listeners {
  return {
    subscriptions: createSubscriptionService(platform),
    activeRules: createActiveRuleService(platform),
    notices: createNoticeService(platform),
  };
}

/** Starts the consumers of the decision ledger, which are woken after every batch. */
export function followLedger(platform: Platform, list: readonly Consumer[]): Consumers {
  const { connection, clock, drawFraction, models, logger, metrics, probe } = platform;
  const consumers = createConsumers({
    connection,
    clock,
    drawFraction,
    ...(probe && { probe }),
    consumers: list,
    chain: DECISIONS,
    cursors: models.cursors,
    deadLetters: models.parked,
    timer: systemTimer,
    keyLeases: platform.shared.keyLeases,
    findNotedSince: platform.ledger.heads.findNotedSince,
    listOrganizationsAfter: (organizationId, limit) =>
      listOrganizationIds(platform, organizationId, { limit }),
    onCursorFault(fault) {
      metrics.cursorFaults.inc({ consumer: fault.consumer, kind: fault.kind });
      logger.error(fault, 'a cursor was lost or beyond its chain: effects may be missing');
    },
    onError: (consumer, organizationId, error) =>
      logger.warn({ consumer, organizationId, err: error }, 'a consumer failed and will try again'),
    onDeadLetter: (consumer, organizationId, sequence) =>
      logger.error({ consumer, organizationId, sequence }, 'a consumer skipped an entry'),
  });
  platform.ledger.onSealed(consumers.wake);
  return consumers;
}

interface Deps {
  listeners: Listeners;
}

export function createEvents(platform: Platform, { listeners }: Deps) {
  const { subscriptions, activeRules, notices } = listeners;
  const { mailer } = platform;
  const { cpiIndexOf = (organizationId) => loadCpiScore(platform, organizationId) } = platform;
  const eventCards = createEventCards(platform, {
    decisions: {
      findCard: (...which) => loadDecisionCard(platform, ...which),
      issueLink: (...which) => issueReviewLink(platform, ...which),
    },
  });
  const definitions = createWebhookService(platform, { subscriptions });
  const sender = createWebhookSender(platform, { eventCards });
  const log = createWebhookLog(platform, { definitions });
  const fanOut = createFanOut(platform, { subscriptions });
  const switchOff = createWebhookSwitchOff(platform, {
    subscriptions,
    notices,
  });
  const delivery = createWebhookDelivery(platform, { sender, switchOff, subscriptions });
  const rules = createAlertService(platform, { activeRules });
  const alertMails = createAlertMailService(platform, {
    eventCards,
    activeRules,
  });
  const actions = createAlertActions(platform, {
    rules,
    activeRules,
    mails: alertMails,
    eventCards,
    sendMail: (content) => mailer.sendMail(renderMail(content)),
  });
  const noticeMails = createNoticeMailService(platform, {
    eventCards,
  });
  return {
    webhooks: { definitions, sender, log, subscriptions },
    alerts: {
      rules,
      actions,
      cpi: createCpiAlerts(platform, { activeRules, subscriptions, cpiIndexOf }),
    },
    mails: [switchOff.mails, alertMails.mails, noticeMails.mails],
    /** Deliverers by outbox topic. */
    deliverers: { [EVENT_TOPIC]: fanOut, webhook: delivery, [ALERT_TOPIC]: actions },
  };
}
