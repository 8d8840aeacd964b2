// Creates the services that notify subscribers: webhooks and alerts.
import { EVENT_TOPIC } from '../domain/events/events.ts';
import type { AuditService } from '../resources/audit/audit.service.ts';
import { renderMail, type MailContent } from '../platform/mail/mail-layout.ts';
import { createActiveRuleService } from '../resources/alerts/active-rules.service.ts';
import { createAlertActions } from '../resources/alerts/alert-actions.service.ts';
import { createAlertCards } from '../resources/alerts/alert-cards.service.ts';
import { createAlertMailService } from '../resources/alerts/alert-mails.service.ts';
import { ALERT_TOPIC } from '../resources/alerts/alert-matches.ts';
import { createAlertService } from '../resources/alerts/alerts.service.ts';
import { createCpiAlerts } from '../resources/alerts/cpi-alerts.service.ts';
import type { CpiService } from '../resources/cpi/cpi.service.ts';
import { createNoticeService } from '../resources/notifications/notices/notices.service.ts';
import { createManagerNotices } from '../resources/notifications/manager-notices.service.ts';
import { createMemoryWorker } from '../resources/traces/memory/memory-worker.ts';
import { createFanOut } from '../resources/webhooks/fan-out.service.ts';
import { createSubscriptionService } from '../resources/webhooks/subscriptions.service.ts';
import { createWebhookDelivery } from '../resources/webhooks/webhook-delivery.service.ts';
import { createWebhookLog } from '../resources/webhooks/webhook-log.service.ts';
import { createWebhookSender } from '../resources/webhooks/webhook-sender.service.ts';
import { createWebhookSwitchOff } from '../resources/webhooks/webhook-switch-off.service.ts';
import { createWebhookService } from '../resources/webhooks/webhooks.service.ts';
import type { EventCards } from '../resources/traces/review/notices/event-cards.service.ts';
import type { Listeners } from '../services.ts';
import type { Identity } from './identity.ts';
import type { Platform } from '../platform/platform.ts';

/** Creates the services that ledger consumers use. */
export function createListeners(platform: Platform): Listeners {
  return {
    subscriptions: createSubscriptionService(platform),
    activeRules: createActiveRuleService(platform),
    managerNotices: createManagerNotices(platform),
    notices: createNoticeService(platform),
    memory: createMemoryWorker(platform),
  };
}

interface Deps {
  audit: AuditService;
  identity: Identity;
  listeners: Listeners;
  cpi: CpiService;
  eventCards: EventCards;
}

export function createEvents(
  platform: Platform,
  { audit, identity, listeners, cpi, eventCards }: Deps,
) {
  const { memberships, workspaces } = identity;
  const { subscriptions, activeRules } = listeners;
  const definitions = createWebhookService(platform, { memberships, workspaces, subscriptions });
  const sender = createWebhookSender(platform, { eventCards });
  const log = createWebhookLog(platform, { definitions });
  const fanOut = createFanOut(platform, { subscriptions });
  const switchOff = createWebhookSwitchOff(platform, { audit, subscriptions });
  const delivery = createWebhookDelivery(platform, { sender, switchOff, subscriptions });
  const alerts = createAlerts(platform, {
    memberships,
    workspaces,
    activeRules,
    subscriptions,
    cpi,
    eventCards,
  });
  return {
    webhooks: { definitions, sender, log, subscriptions },
    alerts: alerts.alerts,
    mails: { ...switchOff.mails, ...alerts.mails },
    /** Deliverers by outbox topic. */
    deliverers: { [EVENT_TOPIC]: fanOut, webhook: delivery, ...alerts.deliverers },
  };
}

type AlertDeps = Pick<Listeners, 'subscriptions' | 'activeRules'> &
  Pick<Identity, 'memberships' | 'workspaces'> &
  Pick<Deps, 'cpi' | 'eventCards'>;

function createAlerts(
  platform: Platform,
  { memberships, workspaces, activeRules, subscriptions, cpi, eventCards }: AlertDeps,
) {
  const { cpiIndexOf = cpi.loadScore, mailer } = platform;
  const rules = createAlertService(platform, { memberships, workspaces, activeRules });
  const cards = createAlertCards({ eventCards });
  const mails = createAlertMailService(platform, { cards });
  const sendMail = (content: MailContent): Promise<void> => mailer.sendMail(renderMail(content));
  const actions = createAlertActions(platform, { rules, mails, cards, sendMail });
  const cpiAlerts = createCpiAlerts(platform, { activeRules, subscriptions, cpiIndexOf });
  return {
    alerts: { rules, actions, cpi: cpiAlerts },
    mails: mails.mails,
    deliverers: { [ALERT_TOPIC]: actions },
  };
}
