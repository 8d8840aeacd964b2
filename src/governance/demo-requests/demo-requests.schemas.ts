// The demo-request form (document 1, sections 7 and 8).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional } from '../../http/declaration/optional.ts';
import { emailAddress, singleLine, multiLine } from '../../http/declaration/views.ts';

export const demoRequestInput = z.object({
  name: singleLine(100),
  email: emailAddress,
  company: singleLine(200),
  message: optional(multiLine(2000)),
});

export const demoRequestedView = z.object({ received: z.literal(true) });

nameSchemas({ DemoRequestInput: demoRequestInput, DemoRequestReceipt: demoRequestedView });
