// Cancels subscriptions of deleted organisations at the payment processor.
import type { Platform } from '../../platform/platform.ts';
import { isLive } from '../../domain/billing/subscription.ts';
import type { PaymentProcessor } from '../../platform/outbound/payment-processor.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import type { OrganizationDocument } from '../../identity/organization/organization.model.ts';

interface Deps {
  payments: PaymentProcessor;
}
type Subscription = Partial<
  Pick<OrganizationDocument['subscription'], 'paymentSubscriptionId' | 'status'>
>;

export const CANCELLATION_TOPIC = 'cancellation';

export function createCancellationService(
  { queueForNone }: Pick<Platform, 'queueForNone'>,
  { payments }: Deps,
) {
  return {
    /** Queues in the current transaction; nothing when the subscription has ended, or no payment key is configured. */
    async queue({ paymentSubscriptionId = null, status = '' }: Subscription): Promise<void> {
      if (!payments.isConfigured || !isLive({ paymentSubscriptionId, status })) return;
      await queueForNone(CANCELLATION_TOPIC, { subscriptionId: paymentSubscriptionId });
    },

    async deliver({ payload }: Pick<OutboxDocument, 'payload'>): Promise<void> {
      await payments.cancel(payload.subscriptionId as string);
    },
  };
}
export type CancellationService = ReturnType<typeof createCancellationService>;
