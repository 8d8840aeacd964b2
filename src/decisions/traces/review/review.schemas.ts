// Inputs and views of the review queue (document 2, sections 2 and 4.3).
import { z } from 'zod';
import type { Json } from '@assay/json';
import { REVIEW_PRIORITIES } from '@assay/policy';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { optional } from '../../../http/declaration/optional.ts';
import { INVOLVEMENTS } from '../../../domain/review/self-review.ts';
import {
  id,
  idParam,
  instant,
  boundedList,
  optionalText,
  passkeySignature,
  queryNumber,
} from '../../../http/declaration/views.ts';
import { approvalsSummary, approvalsView } from './approvals/approvals.schemas.ts';
import { grantTermsInput } from '../../../http/declaration/grant-terms.ts';
import { groupParam } from '../groups/groups.schemas.ts';
import { REVIEW_STATUSES } from '../traces.model.ts';

/** Maximum number of items of one answer. */
export const LIST_MAX = 500;
const DECIDED_AT_ONCE_MAX = 100;

const status = z.enum(REVIEW_STATUSES);
const priority = z.enum(REVIEW_PRIORITIES);
/** The member that an item is assigned to: an id, the caller, or no one. */
const assignee = z.union([z.enum(['me', 'none']), idParam]);
export const reviewQuery = z.object({
  status: optional(status).describe('absent: all'),
  agentId: optional(z.string().min(1).max(200)).describe('Of one agent: id or name'),
  assignedTo: optional(assignee).describe('A member, `me`, or `none`: assigned to no one'),
  overdue: optional(z.stringbool()).describe(
    '`true`: pending past the deadline; `false`: all others',
  ),
  claimed: optional(z.stringbool()).describe(
    'Of what was approved: `false`: never claimed for its execution; `true`: claimed',
  ),
  callerWaits: optional(z.stringbool()).describe(
    '`false`: its caller asked once, and not within the last five minutes, or withdrew; `true`: it asked within them',
  ),
  group: optional(groupParam),
  cursor: optional(
    queryNumber(z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER)),
  ).describe('`nextCursor` of an earlier answer: the items after it, in the same order'),
  sort: optional(z.enum(['newest', 'due'])).describe(
    '`due`, with `status=pending` alone: deadlines first, the nearest first; then what has none, by priority and the oldest first. Absent: `newest`',
  ),
  limit: optional(queryNumber(z.coerce.number().int().min(1).max(LIST_MAX))).describe(
    `Items of the answer; absent: ${LIST_MAX}`,
  ),
});
export type ReviewQuery = z.output<typeof reviewQuery>;

const decision = z.enum(['approve', 'reject']);
const reason = optionalText(1000);
/** As large as an action may be. */
const EDITS_BYTES = 10_240;
const edits = z
  .custom<Json>(
    (value) =>
      (typeof value === 'string' && value !== '') ||
      (typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        Object.keys(value).length > 0),
    'must be an object with members, or a text',
  )
  .refine(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= EDITS_BYTES,
    `must have at most ${EDITS_BYTES} bytes of JSON`,
  )
  .meta({ type: ['object', 'string'] });
const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('SHA-256 of the canonical JSON (RFC 8785) of the proposed action');

/** Edits in an address, as JSON. */
const EDITS_TEXT_MAX = 4000;
export const statementQuery = z.object({
  decision: z.literal('approve'),
  edits: optional(
    z
      .string()
      .max(EDITS_TEXT_MAX)
      .transform((text, context) => {
        const read = parseJson(text);
        if (read !== undefined) return read;
        context.addIssue({ code: 'custom', message: 'must be JSON' });
        return z.NEVER;
      })
      .pipe(edits),
  ).describe('Those that the approval will have, as JSON'),
});

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Names an item in an address. */
export const itemParams = z.object({
  id: z.string().min(1).max(100).describe('Of the item, or the `traceId` of its decision'),
});

/** Strict, so that a misspelt `actionDigest` is refused instead of ignored. */
export const decisionInput = z
  .strictObject({
    decision,
    reason,
    notes: optionalText(2000),
    actionDigest: optional(digest).describe(
      'Of the action that was looked at; when the item has another one, nothing is decided',
    ),
    grant: optional(grantTermsInput).describe(
      'With an approval as it is: a standing grant as well, for what the same agent does with the same tool',
    ),
    edits: optional(edits).describe(
      'With an approval: a JSON Merge Patch (RFC 7396) of the action, or a new text for an action that is a text; needs `actionDigest`. The agent applies it to the action that it holds, so what was masked stays as it was',
    ),
    signature: optional(passkeySignature).describe(
      'By a confirmed passkey of the caller, over the statement of `GET /review-queue/:id/statement`; needed where a policy says `signed`',
    ),
  })
  .refine((input) => input.signature === undefined || input.decision === 'approve', {
    path: ['signature'],
    message: 'only an approval is signed',
  })
  .refine((input) => input.edits === undefined || input.decision === 'approve', {
    path: ['edits'],
    message: 'only an approval has edits',
  })
  .refine((input) => input.grant === undefined || input.decision === 'approve', {
    path: ['grant'],
    message: 'only an approval has a grant',
  })
  .refine((input) => input.grant === undefined || input.edits === undefined, {
    path: ['grant'],
    message: 'an edited decision cannot be granted: leave it or edits out',
  })
  .refine((input) => input.edits === undefined || input.actionDigest !== undefined, {
    path: ['actionDigest'],
    message: 'must be given with edits',
  });
export type DecisionInput = z.output<typeof decisionInput>;

export const bulkDecisionInput = z.strictObject({
  ids: boundedList(idParam, DECIDED_AT_ONCE_MAX, 1).transform((ids) => [...new Set(ids)]),
  decision,
  reason,
  actionDigests: optional(
    z.record(idParam, digest).refine((all) => Object.keys(all).length <= DECIDED_AT_ONCE_MAX),
  ).describe('By id, of the actions that were looked at; an item that has another one is skipped'),
});
export type BulkDecisionInput = z.output<typeof bulkDecisionInput>;

export const assignmentInput = z.strictObject({
  assignedTo: optional(idParam.nullable()).describe('An active member; absent: no assignment'),
});
export const escalationInput = z.strictObject({
  reason,
  escalateTo: optional(idParam).describe(
    'An active member; absent: as the workspace has settled, else an owner',
  ),
});

/** Strict, so that a misspelt reason is not lost. */
export const withdrawalInput = z.strictObject({ reason });
export type WithdrawalInput = z.output<typeof withdrawalInput>;

/** Position of the verdict in the chain, and the values that open its commitment to the action. */
export const verdictReceiptView = z.object({
  sequence: z.number().int(),
  chainHash: z.string(),
  actionDigest: digest.nullable().describe('What the verdict is about; null: no action was kept'),
  salt: z
    .string()
    .nullable()
    .describe('Opens `commitments.actionDigest` of the entry: SHA-256 of [salt, name, digest]'),
});
export type VerdictReceipt = z.input<typeof verdictReceiptView>;

const shownEdits = z
  .unknown()
  .describe('Of an edited approval: a JSON Merge Patch of the action; null: approved as it is');
const superseded = z
  .literal(true)
  .exactOptional()
  .describe(
    'The approved action was corrected since: the action of `actionDigest` is in force, and it is not approved',
  );

const expiresAt = instant
  .nullable()
  .describe(
    'Without a verdict the review ends here; an approval may be acted on until here. null: no end',
  );

/** The review of a held decision, as the decision shows it. */
export const traceReviewView = z.object({
  _id: id,
  status,
  priority,
  slaDeadline: instant.nullable(),
  expiresAt,
  actionDigest: digest.nullable().describe('Of the action in force'),
  decidedAt: instant.nullable(),
  decidedBy: id.nullable(),
  reason: z.string().nullable().describe('Why: the words of the verdict, for the agent too'),
  receipt: verdictReceiptView.nullable(),
  edits: shownEdits,
  superseded,
  approvals: approvalsSummary
    .exactOptional()
    .describe('Where policies want several people to approve it; absent: one approves'),
});

const json = z.unknown();
const agentId = id.nullable().describe('null: no registered agent; see `agentIdStr`');
export const reviewItemView = z.object({
  _id: id,
  id,
  traceId: z.string(),
  traceIdMongo: id.describe('object id of the decision'),
  agentId,
  agentIdStr: z.string(),
  action: z.string().nullable().describe('canonical JSON where it is no text; null: not kept'),
  actionDigest: digest.nullable(),
  confidence: z.number(),
  priority,
  status,
  workflowStep: z.number().int(),
  assignedTo: id.nullable(),
  escalatedAt: instant.nullable(),
  escalatedTo: id.nullable(),
  escalationReason: z.string().nullable(),
  slaDeadline: instant.nullable(),
  overdue: z.boolean().describe('pending past its deadline'),
  expiresAt,
  lastAskedAt: instant
    .nullable()
    .describe(
      'When a key last asked for the verdict while it was pending, to the minute; null: never',
    ),
  callerWaits: z
    .boolean()
    .nullable()
    .describe(
      '`true`: asked for within the last five minutes; `false`: not since, or withdrawn; null: never asked for',
    ),
  context: json,
  payload: json,
  decision: decision.nullable(),
  decidedAt: instant.nullable(),
  decidedBy: id.nullable(),
  reason: z.string().nullable(),
  notes: z.string().nullable(),
  via: z
    .enum(['console', 'link', 'card', 'api'])
    .nullable()
    .describe(
      'How a person decided: in the console, by the link of a mail or of a chat’s card, or by the API',
    ),
  receipt: verdictReceiptView.nullable(),
  edits: shownEdits,
  superseded,
  grantId: id.exactOptional().describe('The standing grant that was given with this approval'),
  approvals: approvalsView
    .exactOptional()
    .describe(
      'Where policies want several people, or certain ones, to approve it; absent: one approves',
    ),
  selfReview: z
    .enum(INVOLVEMENTS)
    .exactOptional()
    .describe(
      'Of a pending item: why the caller may not decide it, by `preventSelfReview` of the workspace. Absent: this does not keep them from it',
    ),
  organizationId: id,
  workspaceId: z.string(),
  createdAt: instant,
  updatedAt: instant,
  payloadOmitted: z
    .literal(true)
    .exactOptional()
    .describe('Only in the list, for its size: read the item'),
});
export const listedReviewView = reviewItemView.extend({
  agentId: z.object({ _id: id, name: z.string() }).nullable(),
});
export const reviewListExtra = z.object({
  count: z.number().int(),
  total: z.number().int().describe('exact up to 10,000'),
  limit: z.number().int(),
  truncated: z.boolean().describe('There are more: `nextCursor` leads to them'),
  nextCursor: z.string().nullable().describe('null: these are the last'),
});
export const bulkDecisionView = z.object({
  requested: z.number().int().describe('Distinct ids'),
  changed: z.number().int(),
  ids: z.array(id).describe('of the items that were decided'),
  voted: z
    .array(id)
    .exactOptional()
    .describe('of the items that others have to approve as well: the approval is sealed'),
  refused: z
    .array(id)
    .exactOptional()
    .describe(
      'of the items that others have to decide, see `selfReview` of an item; or whose approval would pass a limit',
    ),
  undecided: z
    .array(
      z.object({
        id,
        code: z.string(),
        message: z.string(),
        data: json.exactOptional().describe('What the error of its own verdict would have'),
      }),
    )
    .exactOptional()
    .describe('Of every other item why, as its own verdict would be answered'),
});
export type BulkDecision = z.input<typeof bulkDecisionView>;

nameSchemas({
  ReviewStatus: status,
  ReviewPriority: priority,
  VerdictInput: decisionInput,
  BulkVerdictInput: bulkDecisionInput,
  ReviewAssignmentInput: assignmentInput,
  ReviewEscalationInput: escalationInput,
  WithdrawalInput: withdrawalInput,
  VerdictReceipt: verdictReceiptView,
  DecisionReview: traceReviewView,
  ReviewItem: reviewItemView,
  ListedReviewItem: listedReviewView,
  BulkVerdictReceipt: bulkDecisionView,
});
