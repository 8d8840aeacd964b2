// Events of the payment processor, as far as they are read (document 3, section 6); what else they hold is ignored.
import { z } from 'zod';
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
  created: seconds.optional(),
  data: z.object({ object: z.record(z.string(), z.json()) }).optional(),
});

/** `client_reference_id` is the organisation's id. */
export const checkoutSession = z.object({
  mode: text.nullish(),
  client_reference_id: idParam.nullish().catch(null),
  customer: reference.nullish(),
  subscription: reference.nullish(),
});

const item = z.object({
  current_period_end: seconds.nullish(),
  price: z.object({ id: text, lookup_key: text.nullish() }),
});

export const subscriptionObject = z.object({
  id: text,
  customer: reference,
  status: text,
  created: seconds.optional(),
  current_period_end: seconds.nullish(),
  cancel_at_period_end: z.boolean().nullish(),
  cancel_at: seconds.nullish(),
  metadata: z.object({ organizationId: idParam.optional().catch(undefined) }).nullish(),
  items: z.object({ data: z.array(item).max(100) }).optional(),
});

export const receivedView = z.object({ received: z.literal(true) });
