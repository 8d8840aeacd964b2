// Who is told of what: webhooks.
import { createSubscriptionService } from '../resources/webhooks/subscriptions.service.ts';
import { createWebhookSender } from '../resources/webhooks/webhook-sender.service.ts';
import { createWebhookService } from '../resources/webhooks/webhooks.service.ts';
import type { Identity } from './identity.ts';
import type { Platform } from './platform.ts';

/** What the followers of the ledger ask before they write anything. */
export function createListeners(platform: Platform) {
  return { subscriptions: createSubscriptionService(platform) };
}
export type Listeners = ReturnType<typeof createListeners>;

export function createEvents(
  platform: Platform,
  { identity, listeners }: { identity: Identity; listeners: Listeners },
) {
  const { memberships } = identity;
  const { subscriptions } = listeners;
  const definitions = createWebhookService({ ...platform, memberships, subscriptions });
  const sender = createWebhookSender(platform);
  return { webhooks: { definitions, sender } };
}
