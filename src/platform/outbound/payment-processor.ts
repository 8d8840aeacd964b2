// The payment processor (Stripe): checkout, usage meter and webhook signatures. Its SDK is loaded on first use (1 s).
import type Stripe from 'stripe';
import { EVENT_AGE_SECONDS, isTimely } from '../../domain/billing/event-time.ts';
import { AppError } from '../../errors.ts';
import { perInstance } from '../per-instance.ts';
import type { Platform } from '../platform.ts';

/** A checkout of one plan. */
export interface CheckoutOrder {
  organizationId: string;
  planId: string;
  prices: { base: string; overage: string };
  /** Null: the processor makes one. */
  customerId: string | null;
  /** E-mail address of a new customer. */
  email: string;
  returnUrl: string;
}

export interface MeterEvent {
  /** Idempotency key: the processor ignores a repeated one. */
  identifier: string;
  customerId: string;
  count: number;
  at: Date;
}

const TIMEOUT_MS = 10_000;

function createPaymentProcessor({ config, paymentHttp }: Platform) {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = config;
  let loaded: Promise<typeof Stripe> | null = null;
  let made: Promise<Stripe> | null = null;

  async function loadSdk(): Promise<typeof Stripe> {
    loaded ??= import('stripe').then((module) => module.default);
    return loaded;
  }

  async function connect(key: string): Promise<Stripe> {
    const Sdk = await loadSdk();
    return new Sdk(key, {
      ...toHostConfig(config.STRIPE_API_URL),
      httpClient: Sdk.createFetchHttpClient(paymentHttp.fetch as never),
      timeout: TIMEOUT_MS,
      maxNetworkRetries: 1,
      telemetry: false,
    });
  }

  /** @throws AppError `CONFIG_ERROR` without a key */
  function getClient(): Promise<Stripe> {
    if (secretKey === undefined) throw new AppError('CONFIG_ERROR', 'No payment key is configured');
    return (made ??= connect(secretKey));
  }

  return {
    /** Whether there is a key. */
    isConfigured: secretKey !== undefined,

    /** The address of a hosted checkout. @throws AppError `CONFIG_ERROR`, and the SDK's errors */
    async openCheckout(order: CheckoutOrder): Promise<string> {
      const sessions = (await getClient()).checkout.sessions;
      const { url } = await sessions.create(toCheckoutParams(order));
      if (url === null) throw new Error('the checkout session has no address');
      return url;
    },

    /** The address of the customer's self-service portal. @throws AppError `CONFIG_ERROR`, and the SDK's errors */
    async openPortal(customerId: string, returnUrl: string): Promise<string> {
      const { sessions } = (await getClient()).billingPortal;
      const { url } = await sessions.create({ customer: customerId, return_url: returnUrl });
      return url;
    },

    /** Ends a subscription at once; one that is unknown has ended already. @throws AppError `CONFIG_ERROR`, and the SDK's errors */
    async cancel(subscriptionId: string): Promise<void> {
      const { subscriptions } = await getClient();
      await subscriptions.cancel(subscriptionId).catch((error: { code?: string }) => {
        if (error.code !== 'resource_missing') throw error;
      });
    },

    /** Reports usage beyond a plan. @throws AppError `CONFIG_ERROR`, and the SDK's errors */
    async report({ identifier, customerId, count, at }: MeterEvent): Promise<void> {
      const { meterEvents } = (await getClient()).billing;
      await meterEvents.create({
        event_name: config.STRIPE_METER_EVENT,
        identifier,
        timestamp: Math.floor(at.getTime() / 1000),
        payload: { stripe_customer_id: customerId, value: String(count) },
      });
    },

    /**
     * Checks that the processor signed these bytes, within five minutes of now.
     * @throws AppError `CONFIG_ERROR` without a secret, `VALIDATION_ERROR`
     */
    async verify(rawBody: Buffer, signature: string, now: Date): Promise<void> {
      if (webhookSecret === undefined)
        throw new AppError('CONFIG_ERROR', 'No secret of the payment webhook is configured');
      const refusal = new AppError('VALIDATION_ERROR', 'Stripe-Signature does not fit the body');
      if (!isTimely(signature, now)) throw refusal;
      const { webhooks } = await loadSdk();
      const receivedAt = now.getTime();
      const given = [rawBody, signature, webhookSecret, EVENT_AGE_SECONDS] as const;
      try {
        webhooks.constructEvent(...given, undefined, receivedAt);
      } catch {
        throw refusal;
      }
    },
  };
}
export type PaymentProcessor = ReturnType<typeof createPaymentProcessor>;

export const openPaymentProcessor = perInstance(createPaymentProcessor);

function toHostConfig(apiUrl: string | undefined): Pick<Stripe.StripeConfig, 'host'> {
  if (apiUrl === undefined) return {};
  const { hostname, port, protocol } = new URL(apiUrl);
  const address = { host: hostname, port, protocol: protocol.slice(0, -1) };
  return address as Pick<Stripe.StripeConfig, 'host'>;
}

/** Names the organisation in the session and in its subscription, since events arrive in any order. */
function toCheckoutParams(order: CheckoutOrder): Stripe.Checkout.SessionCreateParams {
  const { organizationId, planId, prices, customerId, email, returnUrl } = order;
  const metadata = { organizationId, planId };
  return {
    mode: 'subscription',
    client_reference_id: organizationId,
    ...(customerId === null ? { customer_email: email } : { customer: customerId }),
    line_items: [{ price: prices.base, quantity: 1 }, { price: prices.overage }],
    metadata,
    subscription_data: { metadata },
    success_url: returnUrl,
    cancel_url: returnUrl,
  };
}
