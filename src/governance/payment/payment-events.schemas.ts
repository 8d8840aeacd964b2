// Events of the payment processor: the fields that are read (document 3, section 6); other fields are ignored.
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional } from '../../http/declaration/optional.ts';
import { idParam } from '../../http/declaration/views.ts';

const text = z.string().min(1).max(255);
/** An id, or the record itself. */
const reference = z.union([text, z.object({ id: text }).transform(({ id }) => id)]);
/** Unix time, up to the year 9999. */
const seconds = z
  .number()
  .int()
  .min(0)
  .max(253_402_300_799)
  .transform((time) => new Date(time * 1000));

export const paymentEventInput = z.object({
  id: text.describe('Taken once, however often it is delivered'),
  type: text,
  created: optional(seconds),
  data: optional(z.object({ object: z.record(z.string(), z.json()) })),
});

/** `client_reference_id` is the organisation's id. */
export const checkoutSession = z.object({
  mode: optional(text),
  client_reference_id: optional(idParam.nullable().catch(null)),
  customer: optional(reference),
  subscription: optional(reference),
});

const item = z.object({
  current_period_end: optional(seconds),
  price: z.object({ id: text, lookup_key: optional(text) }),
});

export const subscriptionObject = z.object({
  id: text,
  customer: reference,
  status: text,
  created: optional(seconds),
  current_period_end: optional(seconds),
  cancel_at_period_end: optional(z.boolean()),
  cancel_at: optional(seconds),
  metadata: optional(z.object({ organizationId: optional(idParam.nullable().catch(null)) })),
  items: optional(z.object({ data: z.array(item).max(100) })),
});

export const receivedView = z.object({ received: z.literal(true) });

nameSchemas({ PaymentEventInput: paymentEventInput, PaymentEventReceipt: receivedView });
