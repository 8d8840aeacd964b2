// Who is told of what: webhooks.
import { EVENT_TOPIC } from '../domain/events/events.ts';
import type { AuditService } from '../resources/audit/audit.service.ts';
import { createFanOut } from '../resources/webhooks/fan-out.service.ts';
import { createSubscriptionService } from '../resources/webhooks/subscriptions.service.ts';
import { createWebhookDelivery } from '../resources/webhooks/webhook-delivery.service.ts';
import { createWebhookLog } from '../resources/webhooks/webhook-log.service.ts';
import { createWebhookSender } from '../resources/webhooks/webhook-sender.service.ts';
import { createWebhookSwitchOff } from '../resources/webhooks/webhook-switch-off.service.ts';
import { createWebhookService } from '../resources/webhooks/webhooks.service.ts';
import type { Identity } from './identity.ts';
import type { Platform } from './platform.ts';

/** What the followers of the ledger ask before they write anything. */
export function createListeners(platform: Platform) {
  return { subscriptions: createSubscriptionService(platform) };
}
export type Listeners = ReturnType<typeof createListeners>;

interface Deps {
  audit: AuditService;
  identity: Identity;
  listeners: Listeners;
}

export function createEvents(platform: Platform, { audit, identity, listeners }: Deps) {
  const { memberships } = identity;
  const { subscriptions } = listeners;
  const definitions = createWebhookService({ ...platform, memberships, subscriptions });
  const sender = createWebhookSender(platform);
  const log = createWebhookLog({ ...platform, definitions });
  const fanOut = createFanOut({ ...platform, subscriptions });
  const switchOff = createWebhookSwitchOff({ ...platform, audit, subscriptions });
  const delivery = createWebhookDelivery({ ...platform, sender, switchOff });
  return {
    webhooks: { definitions, sender, log, subscriptions },
    mails: { ...switchOff.mails },
    /** By topic of the outbox. */
    deliverers: { [EVENT_TOPIC]: fanOut.deliver, webhook: delivery.deliver },
  };
}
