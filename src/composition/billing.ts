// Creates the services for usage and payment of an organisation.
import {
  createPaymentProcessor,
  type PaymentProcessor,
} from '../platform/outbound/payment-processor.ts';
import { createBillingService } from '../resources/billing/billing.service.ts';
import {
  type CancellationService,
  createCancellationService,
} from '../resources/billing/cancellations.service.ts';
import type { OrganizationFacts } from '../resources/organization/organization-facts.service.ts';
import { createSubscriptionStore } from '../resources/organization/subscriptions.service.ts';
import { createPaymentEventService } from '../resources/payment/payment-events.service.ts';
import { createMeterService } from '../resources/usage/meter.service.ts';
import { createUsageService } from '../resources/usage/usage.service.ts';
import type { SpanCounts } from '../resources/otlp/span-counts.service.ts';
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
  spanCounts: SpanCounts;
  organizationFacts: OrganizationFacts;
}

export function createBilling(platform: Platform, deps: BillingDeps) {
  const { payments, cancellations, spanCounts, organizationFacts } = deps;
  const subscriptions = createSubscriptionStore(platform);
  const meter = createMeterService(platform);
  const usage = createUsageService(platform, { meter, spanCounts, organizationFacts });
  const billing = createBillingService(platform, { payments, meter, organizationFacts });
  const payment = createPaymentEventService(platform, {
    cancellations,
    payments,
    subscriptions,
  });
  return { usage, billing, payment };
}
