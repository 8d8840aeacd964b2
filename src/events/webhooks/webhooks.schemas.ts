// Inputs and views of webhooks (document 2, sections 2 and 4.7).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional, withDefault } from '../../http/declaration/optional.ts';
import { SWITCH_OFF_REASONS } from '../../domain/events/event-table.ts';
import { SUBSCRIBABLE, WEBHOOK_TYPES } from '../../domain/events/events.ts';
import {
  freeObject,
  id,
  idParam,
  instant,
  boundedList,
  createDeletedView,
} from '../../http/declaration/views.ts';
import { DELIVERY_STATUSES } from './webhooks.model.ts';

const MAX_URL = 2048;

/** All but `*`. */
const NAMED_EVENTS = SUBSCRIBABLE.length - 1;

const contents = {
  url: z
    .string()
    .trim()
    .max(MAX_URL)
    .refine((text) => URL.canParse(text), 'must be a URL, such as https://hooks.example.com/path')
    .describe('https; the address must be public'),
  events: boundedList(z.enum(SUBSCRIBABLE), NAMED_EVENTS, 1)
    .transform((events) => [...new Set(events)])
    .describe('At least one event, or *'),
  description: z.string().trim().max(100),
  type: z.enum(WEBHOOK_TYPES),
  isActive: z.boolean(),
};

export const webhookInput = z.strictObject({
  ...contents,
  description: withDefault(contents.description, ''),
  type: withDefault(contents.type, 'custom'),
  isActive: withDefault(contents.isActive, true),
  workspaceId: optional(idParam.nullable()).describe('Default: that of x-workspace-id, else null'),
});

export const webhookChange = z.strictObject({
  url: optional(contents.url),
  events: optional(contents.events),
  description: optional(contents.description),
  type: optional(contents.type),
  isActive: optional(contents.isActive),
});

export const webhookQuery = z.object({
  search: optional(z.string().max(100)).describe(
    'Part of url as it is shown, or of description; case does not matter',
  ),
});

export const webhookView = z.object({
  _id: id,
  id,
  organizationId: id,
  workspaceId: id.nullable(),
  url: z.string().describe('Cut to its origin for callers who may not change the webhook'),
  events: z.array(z.enum(SUBSCRIBABLE)),
  type: z.enum(WEBHOOK_TYPES),
  description: z.string(),
  isActive: z.boolean(),
  switchedOffAt: instant.nullable().describe('Since when Assay itself has switched it off'),
  switchedOffReason: z.enum(SWITCH_OFF_REASONS).nullable(),
  deliveryCount: z.int().describe('Attempts, the repeated ones too'),
  deliverySuccessCount: z.int(),
  lastTriggered: instant.nullable(),
  createdAt: instant,
  updatedAt: instant,
});
export type WebhookView = z.input<typeof webhookView>;
export const newWebhookView = webhookView.extend({
  signingSecret: z.string().describe('Shown once'),
});
export type NewWebhookView = z.input<typeof newWebhookView>;
export const messageExtra = z.object({ message: z.string() });
export const deletedWebhookView = createDeletedView();

export const deliveryQuery = z.object({ status: optional(z.enum(DELIVERY_STATUSES)) });
export const byDelivery = z.object({ id: idParam, deliveryId: idParam });
export const deliveryView = z.object({
  _id: id,
  id,
  webhookId: id,
  messageId: z.string().describe('The header webhook-id of every attempt'),
  event: z.string(),
  status: z.enum(DELIVERY_STATUSES),
  attempts: z.int().describe('Since it was made or sent again'),
  statusCode: z.int().nullable().describe('Of the last attempt; null: no answer'),
  durationMs: z.int().nullable(),
  error: z.string().nullable(),
  lastAttemptAt: instant.nullable(),
  nextAttemptAt: instant.nullable(),
  createdAt: instant,
  body: z.object({ event: z.string(), timestamp: z.iso.datetime(), data: freeObject }),
});
export type DeliveryView = z.input<typeof deliveryView>;

/** The outcome of one attempt. */
export const attemptView = z.object({
  delivered: z.boolean(),
  statusCode: z.int().nullable(),
  durationMs: z.int(),
  error: z.string().nullable(),
});
export type TestOutcome = z.input<typeof attemptView>;

nameSchemas({
  WebhookInput: webhookInput,
  WebhookChange: webhookChange,
  Webhook: webhookView,
  NewWebhook: newWebhookView,
  DeletedWebhook: deletedWebhookView,
  WebhookDelivery: deliveryView,
  WebhookAttempt: attemptView,
});
