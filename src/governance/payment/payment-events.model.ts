// Accepted events of the payment processor: each counts once, and an early one waits for its checkout.
import { Schema } from 'mongoose';
import type { SubscriptionEvent } from '../../domain/billing/subscription.ts';
import {
  CREATED,
  defineCollection,
  type DocumentOf,
  typeAs,
} from '../../platform/mongo/collection.ts';

/** Longer than the processor repeats events: three days by itself, a month on demand. */
const KEPT_SECONDS = 40 * 24 * 3600;

export const paymentEventSchema = defineCollection(
  'payment_events',
  {
    /** The processor's id of the event; or `customer:` and an id, which every event of that customer touches. */
    _id: { type: String, required: true },
    type: { type: String, required: true },
    /** The event of a subscription whose organisation is not known yet. */
    waiting: typeAs<SubscriptionEvent | null>({ type: Schema.Types.Mixed, default: null }),
    customerId: { type: String, default: null },
    /** Number of touches. */
    touched: { type: Number, default: 0 },
  },
  { timestamps: CREATED, ofNoTenant: true },
);
export interface PaymentEventDocument extends DocumentOf<typeof paymentEventSchema> {}
paymentEventSchema.index(
  { customerId: 1 },
  { name: 'customer', partialFilterExpression: { customerId: { $type: 'string' } } },
);
paymentEventSchema.index({ createdAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
