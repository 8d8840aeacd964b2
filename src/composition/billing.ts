// Creates the services for usage and payment of an organisation.
import {
  createPaymentProcessor,
  type PaymentProcessor,
} from '../platform/outbound/payment-processor.ts';
import { createBillingService } from '../governance/billing/billing.service.ts';
import {
  type CancellationService,
  createCancellationService,
} from '../governance/billing/cancellations.service.ts';
import { createPaymentEventService } from '../governance/payment/payment-events.service.ts';
import type { Platform } from '../platform/platform.ts';

/** Creates the client of the payment processor, and the cancellations that use it. */
export function createPayments(platform: Platform) {
  const { config, paymentHttp } = platform;
  const payments = createPaymentProcessor({
    secretKey: config.STRIPE_SECRET_KEY,
    webhookSecret: config.STRIPE_WEBHOOK_SECRET,
    apiUrl: config.STRIPE_API_URL,
    meterEvent: config.STRIPE_METER_EVENT,
    fetch: paymentHttp.fetch,
  });
  return { payments, cancellations: createCancellationService(platform, { payments }) };
}

interface BillingDeps {
  payments: PaymentProcessor;
  cancellations: CancellationService;
}

export function createBilling(platform: Platform, { payments, cancellations }: BillingDeps) {
  const billing = createBillingService(platform, { payments });
  const payment = createPaymentEventService(platform, {
    cancellations,
    payments,
  });
  return { billing, payment };
}
