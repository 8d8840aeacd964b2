// Creates the services for usage and payment of an organisation.
import { createPaymentProcessor } from '../platform/outbound/payment-processor.ts';
import { createBillingService } from '../resources/billing/billing.service.ts';
import { createCancellationService } from '../resources/billing/cancellations.service.ts';
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

interface BillingDeps extends ReturnType<typeof createPayments> {
  spanCounts: SpanCounts;
}

export function createBilling(platform: Platform, deps: BillingDeps) {
  const { payments, cancellations, spanCounts } = deps;
  const meter = createMeterService(platform);
  const usage = createUsageService(platform, { meter, spanCounts });
  const billing = createBillingService(platform, { payments, meter });
  const payment = createPaymentEventService(platform, { cancellations, payments });
  return { usage, billing, payment };
}
