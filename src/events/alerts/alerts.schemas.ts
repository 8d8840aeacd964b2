// Inputs and views of alert rules (document 2, sections 2 and 4.4).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional, withDefault } from '../../http/declaration/optional.ts';
import { ALERT_SHARES } from '../../domain/events/alert-measures.ts';
import { ALERT_NUMBERS, ALERT_OPERATORS } from '../../domain/events/alert-condition.ts';
import { TRACE_STATUSES } from '../../domain/record/payload.ts';
import {
  emailAddress,
  id,
  idParam,
  instant,
  singleLine,
  boundedList,
  createDeletedView,
} from '../../http/declaration/views.ts';
import { ALERT_ACTION_TYPES, ALERT_SEVERITIES } from './alerts.model.ts';

const MAX_TARGET = 500;
const MAX_ACTIONS = 10;
const MAX_VALUE = 1e6;
const MAX_WINDOW_HOURS = 168;
const DEFAULT_LEAST = 20;
/** Thirty days. */
const MAX_MINUTES = 43_200;

const age = {
  operator: z.enum(['gte', 'gt']),
  value: z.number().min(1).max(MAX_MINUTES),
};

/** Null, as absence, is taken of members that other fields have. */
const foreign = optional(z.never('does not go with this field'));
const noWindow = { windowHours: foreign, atLeast: foreign };
const noAgent = { agentId: foreign };

const condition = z.discriminatedUnion('field', [
  z.strictObject({
    field: z.enum(ALERT_NUMBERS),
    operator: z.enum(ALERT_OPERATORS),
    value: z.number().min(-MAX_VALUE).max(MAX_VALUE),
    ...noWindow,
    ...noAgent,
  }),
  z.strictObject({
    field: z.literal('status'),
    operator: z.literal('eq'),
    value: z.enum(TRACE_STATUSES),
    ...noWindow,
    ...noAgent,
  }),
  z.strictObject({
    field: z.enum(ALERT_SHARES),
    operator: z.enum(ALERT_OPERATORS),
    value: z.number().min(0).max(1),
    windowHours: withDefault(z.int().min(1).max(MAX_WINDOW_HOURS), 1).describe(
      'Whole hours: the current one, and as many before it',
    ),
    atLeast: withDefault(z.int().min(1).max(MAX_VALUE), DEFAULT_LEAST).describe(
      'Fewer decisions, or executions, than these never match',
    ),
    ...noAgent,
  }),
  z.strictObject({ field: z.literal('oldestHoldMinutes'), ...age, ...noWindow, ...noAgent }),
  z.strictObject({
    field: z.literal('agentSilenceMinutes'),
    ...age,
    ...noWindow,
    agentId: withDefault(idParam.nullable(), null).describe(
      'The agent that may not be silent; null: none that was active',
    ),
  }),
]);

const url = z
  .string()
  .trim()
  .max(MAX_TARGET)
  .refine((text) => URL.canParse(text), 'must be a URL, such as https://hooks.example.com/path')
  .describe('https; the address must be public');
const action = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['chat', 'webhook']), target: url }),
  z.strictObject({
    type: z.literal('email'),
    target: emailAddress.describe('Address of a member: mails go to members only'),
  }),
]);

const contents = {
  name: singleLine(100),
  description: z.string().trim().max(500),
  severity: z.enum(ALERT_SEVERITIES),
  isActive: z.boolean(),
  condition,
  actions: boundedList(action, MAX_ACTIONS, 1),
};
const workspaceId = idParam.nullable();

export const alertInput = z.strictObject({
  ...contents,
  description: withDefault(contents.description, ''),
  severity: withDefault(contents.severity, 'warning'),
  isActive: withDefault(contents.isActive, true),
  workspaceId: optional(workspaceId).describe('Default: that of x-workspace-id, else null'),
});

export const alertChange = z.strictObject({
  name: optional(contents.name),
  description: optional(contents.description),
  severity: optional(contents.severity),
  isActive: optional(contents.isActive),
  condition: optional(contents.condition),
  actions: optional(contents.actions),
  workspaceId: optional(workspaceId),
});

export const alertView = z.object({
  _id: id,
  id,
  organizationId: id,
  workspaceId: id.nullable(),
  name: z.string(),
  description: z.string(),
  severity: z.enum(ALERT_SEVERITIES),
  isActive: z.boolean(),
  condition: z.object({
    field: z.string(),
    operator: z.enum(ALERT_OPERATORS),
    value: z.union([z.number(), z.string()]),
    windowHours: z.int().exactOptional().describe('Of shares alone'),
    atLeast: z.int().exactOptional().describe('Of shares alone'),
    agentId: id
      .nullable()
      .exactOptional()
      .describe('Of the silence of agents alone; null: any agent'),
  }),
  actions: z.array(
    z.object({
      type: z.enum(ALERT_ACTION_TYPES),
      target: z.string().describe('A URL is cut to its origin for callers who may not change it'),
    }),
  ),
  lastTriggeredAt: instant.nullable(),
  createdAt: instant,
  updatedAt: instant,
});
export type AlertRuleView = z.input<typeof alertView>;
export const deletedAlertView = createDeletedView();

export const actionOutcomesView = z.object({
  actions: z.array(
    z.object({
      type: z.enum(ALERT_ACTION_TYPES),
      target: z.string(),
      ok: z.boolean(),
      statusCode: z.int().nullable(),
      error: z.string().nullable(),
    }),
  ),
});

export const cpiCheckView = z.object({
  cpiScore: z
    .number()
    .nullable()
    .describe('Null: there is too little to tell, and no rule matches'),
  evaluated: z.int().describe('Rules that look at it'),
  triggered: z.array(z.object({ ruleId: id, ruleName: z.string() })),
});
export type CpiCheck = z.input<typeof cpiCheckView>;

nameSchemas({
  AlertInput: alertInput,
  AlertChange: alertChange,
  Alert: alertView,
  DeletedAlert: deletedAlertView,
  AlertOutcomes: actionOutcomesView,
  PerformanceCheck: cpiCheckView,
});
