// The demo-request form (document 1, sections 7 and 8).
import { z } from 'zod';
import { optional } from '../../http/declaration/optional.ts';
import { emailAddress, line, prose } from '../../http/declaration/views.ts';

export const demoRequestInput = z.object({
  name: line(100),
  email: emailAddress,
  company: line(200),
  message: optional(prose(2000)),
});

export const demoRequestedView = z.object({ received: z.literal(true) });
