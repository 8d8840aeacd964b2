// Cancels subscriptions of deleted organisations at the payment processor.
import type { Platform } from '../../platform/platform.ts';
import { isLive } from '../../domain/billing/subscription.ts';
import { openPaymentProcessor } from '../../platform/outbound/payment-processor.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import type { OrganizationDocument } from '../../identity/organization/organization.model.ts';

type Subscription = Partial<
  Pick<OrganizationDocument['subscription'], 'paymentSubscriptionId' | 'status'>
>;

export const CANCELLATION_TOPIC = 'cancellation';

/** Queues in the current transaction; nothing when the subscription has ended, or no payment key is configured. */
export async function queueCancellation(
  platform: Platform,
  { paymentSubscriptionId = null, status = '' }: Subscription,
): Promise<void> {
  if (!openPaymentProcessor(platform).isConfigured) return;
  if (!isLive({ paymentSubscriptionId, status })) return;
  await platform.queueForNone(CANCELLATION_TOPIC, { subscriptionId: paymentSubscriptionId });
}

export async function deliverCancellation(
  platform: Platform,
  { payload }: Pick<OutboxDocument, 'payload'>,
): Promise<void> {
  await openPaymentProcessor(platform).cancel(payload.subscriptionId as string);
}
