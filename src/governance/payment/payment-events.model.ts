// Accepted events of the payment processor: each counts once, and an early one waits for its checkout.
import { Schema } from 'mongoose';
import type { SubscriptionEvent } from '../../domain/billing/subscription.ts';

export interface PaymentEventDocument {
  /** The processor's id of the event; or `customer:` and an id, which every event of that customer touches. */
  _id: string;
  type: string;
  /** The event of a subscription whose organisation is not known yet. */
  waiting: SubscriptionEvent | null;
  customerId: string | null;
  /** Number of touches. */
  touched: number;
  createdAt: Date;
}

/** Longer than the processor repeats events: three days by itself, a month on demand. */
const KEPT_SECONDS = 40 * 24 * 3600;

export const paymentEventSchema = new Schema<PaymentEventDocument>(
  {
    _id: { type: String, required: true },
    type: { type: String, required: true },
    waiting: { type: Schema.Types.Mixed, default: null },
    customerId: { type: String, default: null },
    touched: { type: Number, default: 0 },
  },
  {
    collection: 'payment_events',
    timestamps: { createdAt: true, updatedAt: false },
    autoIndex: false,
  },
);
paymentEventSchema.index(
  { customerId: 1 },
  { name: 'customer', partialFilterExpression: { customerId: { $type: 'string' } } },
);
paymentEventSchema.index({ createdAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
