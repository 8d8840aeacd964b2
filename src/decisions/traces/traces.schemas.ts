// Inputs and views of decisions (document 2, sections 2 and 4.1; content limits: document 1, section 9).
import { z } from 'zod';
import { isQuestionAdapter, EXPIRY_SECONDS } from '@assay/policy';
import type { Json, JsonObject } from '@assay/json';
import { haltNotice, limitNotices, policyHalt, verdictBasis } from './limits/notices.schemas.ts';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional, withDefault } from '../../http/declaration/optional.ts';
import { STREAM_KINDS } from '../../domain/event-stream.ts';
import { TRACE_STATUSES } from '../../domain/record/payload.ts';
import { type ContentLimits, SCHEMA_VERSIONS } from '../../domain/record/schema-versions.ts';
import {
  from,
  id,
  idParam,
  instant,
  boundedList,
  queryNumber,
  TRACE_ID,
} from '../../http/declaration/views.ts';
import { isTrigger } from '../../domain/record/input-context.ts';
import { traceReviewView } from './review/review.schemas.ts';
import { originsInput } from './sessions/origins.schemas.ts';

/** Any JSON value: it comes from the strict parser or from a stored text. */
const json = z.unknown();
/** Its members are not validated here. */
const jsonObject = z
  .custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  )
  .meta({ type: 'object', additionalProperties: true });

/** The highest limit of any schema version; ingestion checks that of the version in use. */
const findHighestLimit = (limit: keyof ContentLimits): number =>
  Math.max(...SCHEMA_VERSIONS.map(({ limits }) => limits[limit]));

const createListSchema = <T extends z.ZodType>(item: T, limit: 'alternatives' | 'toolCalls') =>
  boundedList(item, findHighestLimit(limit)).describe(
    `At most ${findHighestLimit(`${limit}Bytes`)} bytes of JSON`,
  );
const alternatives = createListSchema(
  z.looseObject({ decision: optional(json), confidence: optional(z.number().min(0).max(1)) }),
  'alternatives',
);

const createTextSchema = (limit: keyof ContentLimits) =>
  z.string().describe(`At most ${findHighestLimit(limit)} characters`);
const createFreeSchema = <T extends z.ZodType>(schema: T) =>
  optional(schema).describe(
    `At most ${findHighestLimit('freeBytes')} bytes of JSON; no object in it has more than ${findHighestLimit('keys')} keys`,
  );

const expirySeconds = z.number().int().min(EXPIRY_SECONDS.min).max(EXPIRY_SECONDS.max);

const FURTHER_MEMBERS = `Further members are kept: together at most ${findHighestLimit('freeBytes')} bytes of JSON`;

const tags = z
  .array(z.string())
  .describe(
    'What the engines found. `PII_...`: personal data of that kind; `POLICY_ERROR`: a condition could not be evaluated; ' +
      '`AGENT_PAUSED`: the agent was paused, and that blocked it; ' +
      '`HALTED`: a halt blocked it, or had a person decide; ' +
      '`LIMIT_REACHED`: it would have passed a limit of a policy; ' +
      '`OUTSIDE_GRANT`: its run token did not reach so far, and that blocked it; ' +
      '`SCRUB_LIMIT`: scrubbing would have taken too much work, so what was left is `[REDACTED]` and every kind of personal data counts as found',
  );

/** One word, such as `public` or `health:record`. */
const label = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/, 'must be one word of at most 64 characters');
/** At most as many labels as an outcome has. */
export const dataLabels = boundedList(label, 32);

const subject = z.object({
  type: label.describe('What kind of subject, as in `user`, `service`, `agent`'),
  id: z.string().trim().min(1).max(200),
  issuer: optional(z.string().trim().min(1).max(200)).describe('Who knows the subject by this id'),
});

const context = {
  sessionId: optional(z.string().trim().min(1).max(200)).describe(
    'The run or conversation that the decision belongs to',
  ),
  parentTraceId: optional(z.string().regex(TRACE_ID)).describe(
    'The decision that this one follows from; it is not looked up, since it may be recorded later',
  ),
  actor: optional(boundedList(subject, 10, 1)).describe(
    'On whose behalf the agent acts: the nearest first, then who stands behind them',
  ),
  labels: optional(dataLabels).describe('What kind of data the decision is about'),
  origins: optional(originsInput),
};

/** Shape only; the limits belong to the schema version. Members that are not named here are ignored. */
export const ingestBody = z.object({
  agentId: optional(z.string().trim().min(1).max(200)).describe(
    'May be left out with the key of an agent: then it is that agent',
  ),
  agentVersion: optional(z.string().trim().min(1).max(100)),
  schemaVersion: optional(z.string().max(100)),
  inputContext: z
    .looseObject({
      prompt: optional(createTextSchema('promptCharacters').min(1)).describe(
        'May be left out where `trigger` says what began the decision',
      ),
      trigger: optional(json).describe(
        'What began it where no one asked, as a text or an object: a schedule, a message. Part of the further members',
      ),
      systemPrompt: optional(createTextSchema('systemPromptCharacters')),
      conversationId: optional(createTextSchema('conversationIdCharacters')),
      context: optional(json).describe(`At most ${findHighestLimit('contextBytes')} bytes of JSON`),
    })
    .refine(({ prompt, trigger }) => prompt !== undefined || isTrigger(trigger), {
      path: ['prompt'],
      message: 'required, unless `trigger` says what began the decision: a text, or an object',
    })
    .describe(FURTHER_MEMBERS),
  outputDecision: z
    .looseObject({
      action: z
        .union([z.string().min(1), jsonObject])
        .describe(`At most ${findHighestLimit('actionBytes')} bytes of JSON`),
      rationale: optional(createTextSchema('rationaleCharacters')),
      alternatives: optional(alternatives),
      toolCalls: optional(
        createListSchema(
          json.describe(`At most ${findHighestLimit('freeBytes')} bytes of JSON`),
          'toolCalls',
        ),
      ),
    })
    .describe(FURTHER_MEMBERS),
  rationale: optional(createTextSchema('rationaleCharacters')),
  alternatives: optional(alternatives),
  triggeringCondition: optional(z.string().max(10_000)),
  metadata: createFreeSchema(jsonObject),
  timestamp: optional(z.iso.datetime({ offset: true })),
  adapter: createFreeSchema(
    json.refine((adapter) => !isQuestionAdapter(adapter as Json), {
      path: ['kind'],
      message: 'is of questions to `/access/v1` alone',
    }),
  ),
  mlBomReference: createFreeSchema(json),
  art12: createFreeSchema(json),
  conversation: createFreeSchema(json),
  crew: createFreeSchema(json),
  ...context,
  review: optional(
    z.strictObject({
      expiresIn: expirySeconds.describe(
        'Seconds until the hold ends by itself, should the decision be held; outweighs policy and workspace',
      ),
      onExpiry: optional(z.literal('reject')).describe(
        'What the decision becomes then. Only a policy can approve by lapse',
      ),
    }),
  ),
});
export type IngestBody = z.output<typeof ingestBody>;

export const status = z.enum(TRACE_STATUSES);
const promise = z
  .object({
    note: z.string().describe('Signed note: log, time, and the root over the entries of a batch'),
    index: z.number().int().describe('Place in the batch'),
    path: z.array(z.string()).describe('Hashes from the sibling up, base64'),
  })
  .nullable()
  .describe('That this entry will stand in the log of its chain by a time; offline proof');
const receipt = z.object({
  sequence: z.number().int(),
  chainHash: z.string(),
  salt: z.string(),
  promise,
});

export const ingestView = z.object({
  traceId: z.string(),
  agentId: z.string(),
  status: status.extract(['approved', 'flagged', 'blocked']),
  confidenceScore: z.number(),
  tags,
  matchedPolicy: z.object({ name: z.string(), reason: z.string() }).nullable(),
  halt: haltNotice.exactOptional(),
  limits: limitNotices.exactOptional(),
  halts: policyHalt.exactOptional(),
  basis: verdictBasis.exactOptional(),
  createdAt: instant,
  hashChain: receipt,
  reviewId: z.string().nullable().describe('Of a held decision'),
  actionDigest: z
    .string()
    .nullable()
    .describe('SHA-256 of the canonical JSON of the action as it is shown; null: not kept'),
  binding: z
    .object({ salt: z.string(), commitment: z.string() })
    .nullable()
    .describe(
      'The commitment to the action as it was sent: SHA-256 of `["<salt>","rawAction","<digest>"]`, the digest being SHA-256 of its canonical JSON (RFC 8785), in hex; null: recorded before there were any',
    ),
  claimRequired: z
    .boolean()
    .describe(
      'Claim the action before it is executed: after a hold, and where a policy has `singleUse` or an `effect`',
    ),
  expiresAt: instant.nullable().describe('When the review ends by itself, and an approval'),
  links: z
    .object({ self: z.string(), review: z.string().nullable() })
    .describe('Paths on this service: of the decision, and of the page that decides it'),
});
export type IngestAnswer = z.input<typeof ingestView>;

/** The sequence of an entry. */
export const eventId = queryNumber(z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER));

/** Longest wait of one request, in seconds. */
const WAIT_MAX_SECONDS = 55;

export const traceWaitQuery = z.object({
  wait: withDefault(z.coerce.number().int().min(0).max(WAIT_MAX_SECONDS), 0).describe(
    'Seconds to wait for the verdict of a pending review',
  ),
});

/** The credential is read before the other inputs (`http/checks/authenticate`). */
export const streamQuery = z.object({
  stream_token: optional(z.unknown()).describe('Of `POST /api/v1/auth/stream-token`'),
  token: optional(z.unknown()).describe('A session token, for those who mint no stream token'),
  lastEventId: optional(eventId).describe(
    'As the header `Last-Event-ID`, which outranks it: resume after this event',
  ),
  events: withDefault(z.enum(STREAM_KINDS), 'all').describe(
    '`halt`: only halts and resumptions that concern the caller',
  ),
});

export const traceView = z.object({
  _id: id,
  id,
  traceId: z.string(),
  organizationId: id,
  workspaceId: z.string(),
  agentId: z.string(),
  agentName: z.string().nullable(),
  agentVersion: z.string().nullable(),
  schemaVersion: z.string(),
  inputContext: json,
  outputDecision: json,
  rationale: z.string().nullable(),
  alternatives: json,
  triggeringCondition: z.string().nullable(),
  status,
  confidenceScore: z.number(),
  tags,
  humanOverride: z.boolean(),
  metadata: json,
  timestamp: instant,
  clientInfo: z
    .object({
      sdk: z.string().nullable(),
      sdkVersion: z.string().nullable(),
      runtime: z.string().nullable(),
      os: z.string().nullable(),
    })
    .nullable(),
  hashChain: z.object({ sequence: z.number().int(), chainHash: z.string() }),
  matchedPolicy: z
    .object({ name: z.string(), reason: z.string() })
    .nullable()
    .describe('The policy that decided; null: none, or the decision is erased'),
  decidedBy: z
    .enum(['person', 'policy', 'undecided'])
    .describe('Where its status comes from; `undecided`: it waits, or was withdrawn'),
  halt: haltNotice.exactOptional(),
  limits: limitNotices.exactOptional(),
  halts: policyHalt.exactOptional(),
  basis: verdictBasis.exactOptional(),
  createdAt: instant,
  adapter: json.exactOptional(),
  mlBomReference: json.exactOptional(),
  art12: json.exactOptional(),
  conversation: json.exactOptional(),
  crew: json.exactOptional(),
  sessionId: json.exactOptional(),
  parentTraceId: json.exactOptional(),
  actor: json.exactOptional(),
  principal: json
    .exactOptional()
    .describe('Who acted, as the run token said it: verified, and sealed by the service'),
  labels: json.exactOptional(),
  origins: json.exactOptional().describe('Where its values were seen, as the harness said it'),
  review: traceReviewView
    .nullable()
    .exactOptional()
    .describe('Only of one decision: its review; null unless it was held'),
  payloadOmitted: z
    .literal(true)
    .exactOptional()
    .describe(
      'Only in lists: a page shows 2 MiB of payload; from here on read the decisions one by one',
    ),
});

export const withdrawalView = z.object({
  traceId: z.string(),
  status,
  review: traceReviewView.nullable(),
});

/** Maximum number of decisions of a bulk operation. */
export const BULK_LIMIT = 500;
const ids = z
  .array(idParam)
  .min(1)
  .max(BULK_LIMIT)
  .transform((given) => [...new Set(given)])
  .describe('Object ids of decisions');
export const bulkStatusBody = z.object({ status, ids });
export const bulkDeleteBody = z.object({ ids });
/** The time of ingestion counts, not `timestamp`, which callers may set. */
export const purgeBody = z.object({
  before: from.describe('ISO 8601, not in the future; a bare date means its beginning'),
});
export const purgeView = z.object({
  before: instant,
  purged: z.number().int(),
  hasMore: z.boolean().describe('A call empties 5,000 decisions at most: repeat it'),
});
export type Purged = z.input<typeof purgeView>;
export const bulkView = z.object({
  requested: z.number().int().describe('Distinct ids'),
  changed: z.number().int(),
  notFound: z.array(z.string()),
});
export type BulkResult = z.input<typeof bulkView>;

export const traceListExtra = z.object({
  search: z
    .object({
      behind: z
        .number()
        .int()
        .describe('newest entries that are not searched yet, as after an upgrade'),
    })
    .exactOptional()
    .describe('Only with `search` and the filters that are found likewise'),
});

nameSchemas({
  DecisionStatus: status,
  Subject: subject,
  DecisionInput: ingestBody,
  DecisionReceipt: receipt,
  IngestedDecision: ingestView,
  Decision: traceView,
  WithdrawnDecision: withdrawalView,
  BulkStatusInput: bulkStatusBody,
  BulkDeleteInput: bulkDeleteBody,
  PurgeInput: purgeBody,
  PurgeReceipt: purgeView,
  BulkReceipt: bulkView,
});
