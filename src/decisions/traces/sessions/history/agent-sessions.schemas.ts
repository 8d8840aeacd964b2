// Inputs and views of sessions of agents: what one did, in the order of the chain.
import { z } from 'zod';
import { HALT_STATES } from '../../../../domain/halt/halt.ts';
import { TRACE_STATUSES } from '../../../../domain/record/payload.ts';
import { STEP_KINDS } from '../../../../domain/sessions/session-step.ts';
import { optional, withDefault } from '../../../../http/declaration/optional.ts';
import { nameSchemas } from '../../../../http/declaration/schema-names.ts';
import { from, id, instant, queryNumber, to } from '../../../../http/declaration/views.ts';

/** Decisions that a list is made of, and those that are counted of each session of it, and of one alone. */
export const WINDOW = 20_000;
/** A label is looked up in the newest entry of each session. */
export const LABELLED_WINDOW = 5000;
export const COUNTED_IN_LIST = 1000;
export const COUNTED_ALONE = 10_000;
/** Steps of one answer, and decisions of a session whose later entries are looked for. */
export const STEPS_MAX = 500;
export const FOLLOWED_DECISIONS = 10_000;

export const sessionQuery = z.object({
  agentId: optional(z.string().min(1).max(200)).describe('Of one agent: id or name'),
  sessionId: optional(z.string().trim().min(1).max(200)),
  label: optional(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/)).describe(
    'Which the session has: what its results may hold',
  ),
  status: optional(z.enum(['held', 'blocked', 'halted'])).describe(
    '`held`: a decision waits for a person; `blocked`: one was blocked; `halted`: the session is halted or watched',
  ),
  dateFrom: optional(from).describe('Recorded since then, as of the service'),
  dateTo: optional(to),
});
export type SessionQuery = z.output<typeof sessionQuery>;

const count = z.number().int();

const session = z.object({
  traceId: z.string().describe('A decision of it, which names it in addresses'),
  sessionId: z
    .string()
    .nullable()
    .describe('As its agent names it, scrubbed; null: by no name, by several, or it is erased'),
  agentId: z.string().nullable(),
  agentName: z.string().nullable(),
  workspaceId: z.string(),
  decisions: count.describe('With erased ones'),
  hasMore: z.boolean().describe('It has more decisions than were counted, which are its newest'),
  held: count.describe('Waiting for a person'),
  blocked: count,
  labels: z.array(z.string()).describe('What its results may hold'),
  beganAt: instant,
  lastSeenAt: instant,
  halt: z
    .object({
      id,
      state: z.enum(HALT_STATES),
      since: instant,
      reason: z.string().nullable(),
    })
    .nullable()
    .describe('Of the session alone; null: it is not halted'),
  mayBeHalted: z.boolean().describe('False: it has no name; halt its agent'),
});
export const agentSessionView = session;
export type AgentSession = z.input<typeof session>;

const state = z
  .object({
    labels: z
      .array(z.object({ label: z.string(), traceId: z.string() }))
      .describe('Each with the decision that gave it first'),
    counts: z
      .array(z.object({ effect: z.string(), times: count }))
      .describe('How often each effect was let happen'),
    acts: count.describe('Decisions that were let act'),
    blocked: count,
    last: z.array(z.string()).describe('The newest effects, the oldest first'),
    steps: z.array(z.string()).describe('Tools it has used that others come after'),
    began: instant,
    seen: instant,
  })
  .describe('Since it began, or began again after it was idle');
export type SessionStateView = z.input<typeof state>;

export const sessionDetail = session.extend({
  state: state.nullable().describe('Null: its decisions were judged without a session'),
  judgedOn: z
    .object({ n: count.nullable(), state })
    .nullable()
    .describe('What the decision of the address was judged on; null: on no session'),
  parent: z
    .object({ traceId: z.string(), isOther: z.boolean() })
    .nullable()
    .describe(
      'The decision that the one of the address follows from; `isOther`: of another session',
    ),
});
export type SessionDetail = z.input<typeof sessionDetail>;

export const sessionListExtra = z.object({
  since: instant
    .nullable()
    .describe('Sessions without a decision since then are not listed; null: all are'),
});

const place = queryNumber(z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER));
export const stepsQuery = z
  .object({
    before: optional(place).describe('Steps before this place of the chain, the nearest'),
    after: optional(place).describe('Steps after this place of the chain, the nearest'),
    limit: withDefault(
      queryNumber(z.coerce.number().int().min(1).max(STEPS_MAX)),
      STEPS_MAX,
    ).describe('Steps of the answer'),
  })
  .refine(({ before, after }) => before === undefined || after === undefined, {
    path: ['after'],
    message: 'either before or after',
  });
export type StepsQuery = z.output<typeof stepsQuery>;

const step = z.object({
  sequence: count,
  at: instant,
  kind: z.enum(STEP_KINDS),
  traceId: z.string().nullable().describe('The decision that it is, or is about; null: of a halt'),
  parentTraceId: z.string().nullable(),
  agentId: z.string().nullable(),
  agentName: z.string().nullable(),
  tool: z.string().nullable(),
  summary: z
    .string()
    .nullable()
    .describe('The action, or the result, in one line of at most 200 characters'),
  isErased: z.boolean().describe('Its words were destroyed; it can no longer be read'),
  verdict: z.enum(['approved', 'flagged', 'blocked']).nullable().describe('Of the policies'),
  status: z.enum(TRACE_STATUSES).nullable().describe('Of a decision, as it is now'),
  result: z
    .string()
    .nullable()
    .describe(
      'What a later entry came to: `approved`, `rejected`, `succeeded`, `halted` and so on',
    ),
  policy: z.string().nullable().describe('The one that decided'),
  reason: z.string().nullable().describe('Of the policy, or of the person'),
  by: z
    .object({
      kind: z.enum(['user', 'workspaceKey', 'agentKey', 'system']),
      id: id.nullable(),
    })
    .nullable()
    .describe('Who made a later entry'),
});
export type SessionStep = z.input<typeof step>;

export const stepsView = z.object({
  steps: z.array(step).describe('In the order of the chain'),
  before: count
    .nullable()
    .describe('Ask for the steps before this place next; null: these are the first'),
  after: count.describe('Ask for the steps after this place next, now or later'),
  isLast: z.boolean().describe('No later step was there'),
});
export type SessionSteps = z.input<typeof stepsView>;

nameSchemas({
  AgentSession: session,
  AgentSessionState: state,
  AgentSessionDetail: sessionDetail,
  AgentSessionStep: step,
  AgentSessionSteps: stepsView,
});
