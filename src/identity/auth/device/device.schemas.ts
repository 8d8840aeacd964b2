// Inputs and views of the device flow; the forms are those of RFC 8628, and what they lack is answered as it says.
import { z } from 'zod';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { optional } from '../../../http/declaration/optional.ts';
import { instant, singleLine } from '../../../http/declaration/views.ts';

export const clientName = singleLine(100);
export const codeForm = z.object({
  client_id: optional(z.string()).describe(
    'The name of the client, as the person is shown it: at most 100 characters',
  ),
});
export type CodeForm = z.output<typeof codeForm>;

export const tokenForm = z.object({
  grant_type: optional(z.string()).describe('urn:ietf:params:oauth:grant-type:device_code'),
  device_code: optional(z.string().max(200)),
  client_id: optional(z.string().max(200)),
});
export type TokenForm = z.output<typeof tokenForm>;

const userCode = z
  .string()
  .min(1)
  .max(40)
  .describe('As typed in: case, spaces and dashes are free');
export const deviceApprovalQuery = z.object({ userCode });
export const deviceApprovalInput = z.strictObject({
  userCode,
  decision: z.enum(['approve', 'deny']),
});
export type DeviceApprovalInput = z.output<typeof deviceApprovalInput>;

export const deviceRequestView = z.object({
  clientName: z.string().describe('As the client calls itself: unproved'),
  ip: z.string().describe('Of the device'),
  userAgent: z.string().nullable(),
  createdAt: instant,
  expiresAt: instant,
});
/** A login that waits for a person: which client asks, from where, until when. */
export type DeviceRequest = z.input<typeof deviceRequestView>;

nameSchemas({
  DeviceCodeForm: codeForm,
  DeviceTokenForm: tokenForm,
  DeviceApprovalInput: deviceApprovalInput,
  DeviceRequest: deviceRequestView,
});
