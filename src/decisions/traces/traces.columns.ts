// The columns of a stored decision, declared once for its model, for the fold of its amendments and for verification.
import {
  type Approvals,
  EXPIRY_OUTCOMES,
  type ExpiryOutcome,
  REVIEW_PRIORITIES,
  type ReviewPriority,
} from '@assay/policy';
import type { ClientInfo } from '../../domain/record/client-info.ts';
import type {
  ErasurePayload,
  ExecutionPayload,
  TracePayload,
} from '../../domain/record/payload.ts';
import type { AmendmentPayload } from '../../domain/record/trace-state.ts';
import type { LimitNotice } from '../../domain/budgets/spending.ts';
import type { GrantNotice } from '../../domain/grants/grant-use.ts';
import type { HaltNotice, PolicyHalt } from '../../domain/halt/halt.ts';
import { findReviewEnd, type ReviewEnd } from '../../domain/review/review-end.ts';
import { type ColumnSource, defineColumns, type ReadValue } from '../../ledger/columns.ts';
import { KEYLESS, UNENCRYPTED } from '../../ledger/contents/contents.ts';
import { toObjectId } from '../../ledger/ledger.model.ts';
import { RAW_ACTION } from '../../domain/actions/proposed-action.ts';
import type { TraceDocument } from './traces.model.ts';

/** The committed value `origin`, whose members columns repeat. */
interface Origin {
  agentId: string | null;
  agentVersion: string | null;
  timestamp: string | null;
  clientInfo: ClientInfo | null;
}

interface Evaluation {
  at: string;
  confidenceScore: number;
  tags: string[];
  matchedPolicies: { id: string; actions: unknown[] }[];
}

interface Facts {
  agentName: string | null;
  /** Name and reason of the deciding policy, as the answer gave them. */
  policy: { name: string; reason: string } | null;
  /** What policies that observe matched; absent: nothing. */
  observed?: { id: string }[];
  /** Present where a policy wants the action claimed. */
  singleUse?: true;
  /** Present where a halt stopped it. */
  halt?: HaltNotice;
  /** Present where it would have passed limits. */
  limits?: LimitNotice[];
  /** Present where a policy has halted something as well. */
  halts?: PolicyHalt;
  /** Present where a standing grant let it through. */
  grant?: GrantNotice;
  /** Marks what is alike among the held and blocked; absent in older entries. */
  alike?: string;
  /** Absent in older entries, which did not commit to it; so is the review. */
  agentMark?: string | null;
  /** The initial state of the review of a held decision. */
  review?: {
    id: string;
    priority: string;
    workflowStep: number;
    slaDeadline: string | null;
    /** Absent: it does not expire. */
    expiresAt?: string;
    onExpiry?: string;
    /** Absent: any reviewer approves it, once. */
    approvals?: Approvals;
    /** Marks of those whom `actor` names; absent in older entries, and where it names none. */
    actors?: string[];
  };
}

type Source = ColumnSource<TraceDocument, TracePayload>;

const readOrigin = (value: ReadValue): Origin | null | undefined => value('origin');
const readEvaluation = (value: ReadValue): Evaluation | null | undefined => value('evaluation');

export const traceColumns = defineColumns<TraceDocument, TracePayload>({
  kind: 'trace',
  columns: {
    workspaceId: { type: String, from: ({ payload }) => payload.workspaceId },
    schemaVersion: { type: String, from: ({ payload }) => payload.schemaVersion },
    verdict: { type: String, from: ({ payload }) => payload.status },
    scrub: { type: Object, from: ({ payload }) => ({ rulesVersion: payload.scrubVersion }) },
    agentId: {
      type: String,
      from: ({ payload, value }) => payload.agent ?? readMember(readOrigin(value), 'agentId'),
    },
    agentVersion: {
      type: String,
      from: ({ value }) => readMember(readOrigin(value), 'agentVersion'),
    },
    clientInfo: { type: Object, from: ({ value }) => readMember(readOrigin(value), 'clientInfo') },
    timestamp: { type: Date, from: ({ value }) => deriveTimestamp(value) },
    confidenceScore: {
      type: Number,
      from: ({ value }) => readMember(readEvaluation(value), 'confidenceScore'),
    },
    tags: { type: [String], from: ({ value }) => readMember(readEvaluation(value), 'tags') },
    matchedPolicyIds: {
      type: [String],
      from: ({ value }) => listMatchedPolicyIds(readEvaluation(value)),
    },
    observedPolicyIds: { type: [String], from: deriveObservedPolicyIds },
    alike: { type: String, from: deriveAlike },
    latency: { type: Number, from: ({ payload, value }) => deriveLatency(payload, value) },
    sessionId: { type: String, from: (source) => deriveCommitted(source, 'sessionId') },
    parentTraceId: { type: String, from: (source) => deriveCommitted(source, 'parentTraceId') },
    review: { type: Object, from: deriveReview },

    agentName: { type: String, from: deriveAgentName },
    answer: { type: Object, from: deriveAnswer },

    status: {
      type: String,
      initial: ({ status }) => status,
      change: ({ payload }) => readChange(payload)?.status ?? undefined,
    },
    humanOverride: {
      type: Boolean,
      initial: () => false,
      change: ({ payload }) => readChange(payload)?.humanOverride ?? undefined,
    },
    erasedAt: {
      type: Date,
      initial: () => null,
      change: ({ payload, createdAt }) => (payload.kind === 'erasure' ? createdAt : undefined),
    },
    deletedAt: {
      type: Date,
      initial: () => null,
      change: ({ payload, createdAt }) => (isDeletion(payload) ? createdAt : undefined),
    },
    'review._id': {
      fromAmendment: (payload) =>
        payload.kind === 'review' ? toObjectId(payload.reviewId) : undefined,
    },
    'review.status': {
      initial: (payload) => (isFlagged(payload) ? 'pending' : null),
      change: ({ payload }) => toReviewStatus(payload),
    },
    'review.decidedAt': {
      initial: () => null,
      change: ({ payload, createdAt }) => (payload.kind === 'review' ? createdAt : undefined),
    },
    'review.decidedBy': {
      initial: () => null,
      change: ({ payload }) => (payload.kind === 'review' ? payload.actor.id : undefined),
    },
    'review.edited': {
      initial: () => null,
      change: ({ payload }) =>
        payload.kind === 'review' && Object.hasOwn(payload.commitments, 'edits') ? true : undefined,
    },
    execution: { type: Object },
    'execution._id': {
      initial: () => null,
      change: ({ payload }) => (isExecution(payload) ? toObjectId(payload.executionId) : undefined),
    },
    'execution.state': {
      initial: () => null,
      change: ({ payload }) => (isExecution(payload) ? payload.state : undefined),
    },
    'execution.claimedAt': {
      initial: () => null,
      change: ({ payload, createdAt }) => (isClaim(payload) ? createdAt : undefined),
    },
    'execution.leaseUntil': {
      initial: () => null,
      change: ({ payload }) =>
        isClaim(payload) ? new Date(payload.leaseUntil as string) : undefined,
    },
    'execution.endedAt': {
      initial: () => null,
      change: ({ payload, createdAt }) =>
        isExecution(payload) && !isClaim(payload) ? createdAt : undefined,
    },
  },
  assignable: [
    'review.assignedTo',
    'review.assignedAt',
    'review.escalatedTo',
    'review.escalatedAt',
    'review.escalationReason',
    'review.askedAt',
  ],
  erasable: ['review.context', 'review.escalationReason', 'answer'],
});

/** Undefined also for older entries, which did not commit to the facts. */
function readFacts({ payload, value }: Source): Facts | null | undefined {
  return payload.commitments.facts === undefined ? undefined : value('facts');
}

/** The name of a registered agent is no personal data: the column outlives the erasure of the facts. */
function deriveAgentName(source: Source): string | null | undefined {
  const { payload, entry } = source;
  const facts = readFacts(source);
  return facts || payload.agent === null ? readMember(facts, 'agentName') : entry.agentName;
}

/** A keyed digest: the column outlives the erasure of the facts. */
function deriveAlike(source: Source): string | null | undefined {
  const facts = readFacts(source);
  return facts ? (facts.alike ?? null) : undefined;
}

/** The ids of policies are no personal data: the column outlives the erasure of the facts. */
function deriveObservedPolicyIds(source: Source): string[] | null | undefined {
  const facts = readFacts(source);
  return facts ? (facts.observed?.map(({ id }) => id) ?? null) : undefined;
}

/** Any erasure removes the answer that a replay would repeat. */
function deriveAnswer(source: Source): object | null | undefined {
  const facts = readFacts(source);
  const { answer, erasedAt } = source.entry;
  if (!facts || (!answer && erasedAt)) return facts && undefined;
  const { agentMark = isText(answer?.agentMark) ? answer.agentMark : null } = facts;
  const binding = source.payload.commitments[RAW_ACTION];
  return {
    policy: facts.policy,
    ...(agentMark !== null && { agentMark }),
    ...(binding !== undefined && { binding }),
    ...(facts.singleUse === true && { singleUse: true }),
    ...(facts.halt && { halt: facts.halt }),
    ...(facts.limits && { limits: facts.limits }),
    ...(facts.halts && { halts: facts.halts }),
    ...(facts.grant && { grant: facts.grant }),
  };
}

/** Expected value of each stored review member: committed, or of its type. Amended ones are checked by their path. */
function deriveReview(source: Source): object | null {
  const { payload, entry } = source;
  if (!isFlagged(payload)) return null;
  const item = Object(entry.review) as Readonly<Record<string, unknown>>;
  const initialReview = readFacts(source)?.review;
  const expected: Record<string, unknown> = {};
  for (const [name, isValid] of Object.entries(REVIEW_MEMBERS))
    if (Object.hasOwn(item, name)) expected[name] = isValid(item[name]) ? item[name] : undefined;
  if (UNENCRYPTED in entry || isReasonMissing(entry, item))
    expected['escalationReason'] = undefined;
  expected['workflowStep'] = initialReview?.workflowStep ?? 1;
  if (!initialReview) return expected;
  for (const name of COMMITTED_MEMBERS) delete expected[name];
  return Object.assign(expected, toReviewMembers(initialReview));
}

/** What a review began with, as its column has it. */
function toReviewMembers(initial: NonNullable<Facts['review']>): object {
  const { id, priority, slaDeadline, expiresAt, onExpiry, approvals } = initial;
  return {
    _id: toObjectId(id),
    priority,
    slaDeadline: slaDeadline === null ? null : new Date(slaDeadline),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt), onExpiry }),
    ...(approvals && { approvals }),
  };
}

/** An escalation has a reason, empty where none was given, until the contents of the decision are erased. */
function isReasonMissing(
  entry: TraceDocument,
  { escalatedAt, escalationReason }: Readonly<Record<string, unknown>>,
): boolean {
  if (!isTime(escalatedAt) || isText(escalationReason)) return false;
  return !entry.erasedAt && !(KEYLESS in entry);
}

/** A review has both or neither. */
const COMMITTED_MEMBERS = ['expiresAt', 'onExpiry', 'approvals'];

const isText = (value: unknown): value is string => typeof value === 'string';
const isTime = (value: unknown): boolean => value instanceof Date;
const isObjectId = (value: unknown): boolean =>
  (Object(value) as { _bsontype?: unknown })._bsontype === 'ObjectId';
const acceptNull =
  (isValid: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === null || isValid(value);

/** Assignment and escalation are in the audit log, `askedAt` nowhere else: only their types can be checked. */
const REVIEW_MEMBERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  _id: isObjectId,
  status: isText,
  priority: (value) => REVIEW_PRIORITIES.includes(value as ReviewPriority),
  workflowStep: (value) => value === 1,
  slaDeadline: acceptNull(isTime),
  expiresAt: isTime,
  onExpiry: (value) => EXPIRY_OUTCOMES.includes(value as ExpiryOutcome),
  approvals: (value) => typeof value === 'object' && value !== null,
  assignedTo: acceptNull(isObjectId),
  assignedAt: acceptNull(isTime),
  escalatedTo: acceptNull(isObjectId),
  escalatedAt: acceptNull(isTime),
  escalationReason: acceptNull(isText),
  askedAt: isTime,
  decidedAt: isTime,
  decidedBy: acceptNull(isText),
  edited: (value) => value === true,
};

function isFlagged({ status }: TracePayload): boolean {
  return status === 'flagged';
}

/** Reads a member of a committed value; passes null and undefined through. */
function readMember<V extends object, K extends keyof V>(
  value: V | null | undefined,
  member: K,
): V[K] | null | undefined {
  return value && value[member];
}

/** Null if either of the values that it derives from is erased. */
function deriveTimestamp(value: ReadValue): Date | null | undefined {
  const [origin, evaluation] = [readOrigin(value), readEvaluation(value)];
  if (origin === null || evaluation === null) return null;
  return origin && evaluation && new Date(origin.timestamp ?? evaluation.at);
}

/** The evaluation also names policies that failed without matching, with no action taken. */
function listMatchedPolicyIds(
  evaluation: Evaluation | null | undefined,
): string[] | null | undefined {
  return (
    evaluation &&
    evaluation.matchedPolicies.filter(({ actions }) => actions.length > 0).map(({ id }) => id)
  );
}

/** A value that a column repeats; null where the decision has none. */
function deriveCommitted({ payload, value }: Source, name: string): string | null | undefined {
  return payload.commitments[name] === undefined ? null : value<string>(name);
}

function deriveLatency({ commitments }: TracePayload, value: ReadValue): number | null | undefined {
  if (commitments.metadata === undefined) return null;
  const metadata = value<{ latencyMs?: unknown }>('metadata');
  return metadata && (typeof metadata.latencyMs === 'number' ? metadata.latencyMs : null);
}

function readChange(payload: AmendmentPayload) {
  return 'set' in payload ? payload.set : null;
}

function isExecution(payload: AmendmentPayload): payload is ExecutionPayload {
  return payload.kind === 'execution';
}

function isClaim(payload: AmendmentPayload): payload is ExecutionPayload {
  return isExecution(payload) && payload.state === 'claimed';
}

function isDeletion(payload: AmendmentPayload): payload is ErasurePayload {
  return payload.kind === 'erasure' && payload.cause !== 'retention';
}

function toReviewStatus(payload: AmendmentPayload): ReviewEnd | undefined {
  return payload.kind === 'review' ? findReviewEnd(payload) : undefined;
}
