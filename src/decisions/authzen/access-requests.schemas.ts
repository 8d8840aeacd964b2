// Inputs and answers of access requests (Access Request and Approval Profile of AuthZEN, Draft 1).
import { z } from 'zod';
import { TASK_STATUSES } from '../../domain/authzen/access-requests.ts';
import { optional } from '../../http/declaration/optional.ts';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { instant, optionalText } from '../../http/declaration/views.ts';
import {
  actionInput,
  createTextSchema,
  object,
  resourceInput,
  subjectInput,
} from './authzen.schemas.ts';

const TOKEN_MAX = 20_000;

const denialInput = z.object({
  evaluation_id: optional(createTextSchema(100)).describe('`context.evaluation_id` of the denial'),
  expires_at: optional(z.iso.datetime({ offset: true })).describe(
    '`context.access_request.expires_at` of the denial',
  ),
  binding_token: optional(createTextSchema(TOKEN_MAX)).describe(
    'Refused: denials of this service have none',
  ),
});

const clientInput = z.object({
  actor: optional(object).describe(
    'Who acts: `id`, `issuer`, `act`. The actor of the denied question, or its agent',
  ),
});

export const accessRequestInput = z.object({
  subject: subjectInput,
  action: actionInput,
  resource: resourceInput,
  context: optional(object).describe('Not part of what is approved'),
  requested_access: optional(object).describe('An approval permits the action once: not used'),
  client: optional(clientInput),
  denial: optional(denialInput).describe('Needs `evaluation_id` and `expires_at`'),
  callback: optional(z.unknown()).describe('Refused: wait for the task, or subscribe a webhook'),
});
export type AccessRequestInput = z.output<typeof accessRequestInput>;

export const taskParams = z.object({ id: z.string().min(1).max(100) });

export const cancellationInput = z.object({
  reason: optionalText(200).describe('A code'),
  comment: optionalText(700).describe('A note for people'),
});
export type CancellationInput = z.output<typeof cancellationInput>;

const taskView = z.object({
  id: z.string(),
  status: z.enum(TASK_STATUSES),
  status_endpoint: z.string(),
  links: z
    .object({ review: z.string(), cancel: z.string() })
    .exactOptional()
    .describe('While it is pending: where a person decides, and where it is cancelled'),
  display: z.object({ title: z.string(), description: z.string() }),
});
const resultView = z.object({
  mode: z.literal('reevaluate'),
  approval: z
    .object({ id: z.string(), approved_at: instant.exactOptional(), approved_until: instant })
    .describe('To be sent as `context.approval` with the same question'),
});
export const accessRequestView = z.object({
  task: taskView,
  result: resultView.exactOptional().describe('Of an approved one'),
});
export type AccessTask = z.input<typeof accessRequestView>;
export const cancelledView = z.object({ task: taskView });

nameSchemas({
  AccessRequestInput: accessRequestInput,
  AccessRequestCancellation: cancellationInput,
  AccessTask: taskView,
  AccessRequest: accessRequestView,
});
