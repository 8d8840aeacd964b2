// Inputs and answers of AuthZEN (Authorization API 1.0): questions, and whether they are permitted.
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '@assay/json';
import { SEMANTICS } from '../../domain/authzen/boxcar.ts';
import { optional, withDefault } from '../../http/declaration/optional.ts';
import { describeAs, nameSchemas } from '../../http/declaration/schema-names.ts';
import { boundedList, id, instant } from '../../http/declaration/views.ts';

/** Most questions of one request. */
const MAX_EVALUATIONS = 100;

export const object = z
  .custom<JsonObject>(isJsonObject, 'must be an object')
  .meta({ type: 'object', additionalProperties: true });

const properties = optional(object).describe('Judged like the other members');
export const createTextSchema = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => value.trim() !== '', 'must not be blank');
export const subjectInput = z.object({
  type: createTextSchema(200),
  id: createTextSchema(200),
  properties,
});
export const actionInput = z.object({ name: createTextSchema(200), properties });
export const resourceInput = z.object({
  type: createTextSchema(200),
  id: createTextSchema(2000),
  properties,
});

export const evaluationInput = z.object({
  subject: subjectInput.describe(
    'Who acts. The agent of the decision is the key’s, the subject if its type is `agent`, `agent_id` of the context, or the subject',
  ),
  action: actionInput,
  resource: resourceInput,
  context: optional(object).describe(
    'Anything. `prompt`, `agent_id` and `session_id` are those of the decision, where they are texts',
  ),
});

const createPartialThing = (idMax: number) =>
  z.object({
    type: optional(createTextSchema(200)),
    id: optional(createTextSchema(idMax)),
    properties,
  });
/** One of several questions: what it leaves out is the default of all. */
const evaluationItem = z.object({
  subject: optional(createPartialThing(200)),
  action: optional(z.object({ name: optional(createTextSchema(200)), properties })),
  resource: optional(createPartialThing(2000)),
  context: optional(object),
});

const options = z.object({
  evaluations_semantic: withDefault(z.enum(SEMANTICS), 'execute_all').describe(
    'Whether all are judged, or those up to the first denial or permission',
  ),
});

/** Each question is checked on its own: what is wrong with one denies that one alone. */
export const evaluationsInput = z.object({
  subject: optional(z.unknown()).describe('As in a single question: for those without one'),
  action: optional(z.unknown()).describe('As in a single question: for those without one'),
  resource: optional(z.unknown()).describe('As in a single question: for those without one'),
  context: optional(z.unknown()).describe('As in a single question: for those without one'),
  evaluations: optional(boundedList(describeAs(z.unknown(), evaluationItem), MAX_EVALUATIONS)),
  options: optional(options),
});
export type EvaluationsInput = z.output<typeof evaluationsInput>;

/** Denied, but a request may change that (Access Request and Approval Profile). */
const requestableView = z.object({
  endpoint: z.string().describe('POST with the same key: gets the task of the hold'),
  expires_at: instant.describe('Until then the request may be made'),
  display: z.object({ title: z.string(), description: z.string() }),
});

/** The approval that a question was permitted by. */
const usedApprovalView = z.object({ id: z.string(), approved_until: instant });

const localized = z.object({ en: z.string() });
const evaluationContext = z.object({
  id: z.string().exactOptional().describe('The decision that was recorded: its traceId'),
  code: z
    .string()
    .exactOptional()
    .describe('Why it is not permitted: `APPROVAL_PENDING` is a hold'),
  reason_admin: localized.exactOptional().describe('Names the policy; not for the subject'),
  reason_user: localized.exactOptional(),
  review: z
    .object({
      id,
      expires_at: instant.nullable(),
      page: z.string().describe('Where a person decides'),
      wait: z.string().describe('GET with the same key: answers when there is a verdict'),
    })
    .exactOptional()
    .describe('Of a held action. After the verdict, repeat the question with its X-Request-ID'),
  evaluation_id: z
    .string()
    .exactOptional()
    .describe('Of a held action: what an access request names it by; the same as `id`'),
  evaluated_at: instant.exactOptional(),
  reason: z
    .string()
    .exactOptional()
    .describe('`approval_required`; after a question with `context.approval`, why that did not do'),
  access_request: requestableView
    .exactOptional()
    .describe('Of a held action: how to get a task handle for it'),
  next_action: z
    .enum(['request', 'none'])
    .exactOptional()
    .describe('After a question with `context.approval` that is not permitted'),
  approval: usedApprovalView.exactOptional().describe('The `context.approval` that permits it'),
  execution: z
    .object({
      id,
      lease_until: instant,
      outcome: z.string().describe('PATCH with the same key: says how it ended'),
    })
    .exactOptional()
    .describe('The one execution that is permitted'),
  error: z
    .object({ status: z.number().int(), code: z.string(), message: z.string() })
    .exactOptional()
    .describe('Nothing was recorded'),
});
export const evaluationView = z.object({ decision: z.boolean(), context: evaluationContext });
export type EvaluationAnswer = z.input<typeof evaluationView>;

const boxcarView = z.object({ evaluations: z.array(evaluationView) });
export const evaluationsView = z.union([boxcarView, evaluationView]);
export type EvaluationsAnswer = z.input<typeof evaluationsView>;

export const decisionPointView = z.object({
  policy_decision_point: z.string(),
  access_evaluation_endpoint: z.string(),
  access_evaluations_endpoint: z.string(),
  access_request_endpoint: z.string(),
  capabilities: z.array(z.string()),
});
export type PolicyDecisionPoint = z.input<typeof decisionPointView>;

nameSchemas({
  AccessSubject: subjectInput,
  AccessAction: actionInput,
  AccessResource: resourceInput,
  AccessEvaluationInput: evaluationInput,
  AccessEvaluationItem: evaluationItem,
  AccessEvaluationsInput: evaluationsInput,
  AccessEvaluation: evaluationView,
  AccessEvaluations: boxcarView,
  PolicyDecisionPoint: decisionPointView,
});
