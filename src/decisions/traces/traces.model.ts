// The stored decision: committed payload as text, and columns for lists and searches (document 2, DecisionTrace).
import type { LimitNotice } from '../../domain/budgets/spending.ts';
import type { GrantNotice } from '../../domain/grants/grant-use.ts';
import type { HaltNotice, PolicyHalt } from '../../domain/halt/halt.ts';
import { Schema, type Types } from 'mongoose';
import type { Approvals, ExpiryOutcome, ReviewPriority } from '@assay/policy';
import type { ClientInfo } from '../../domain/record/client-info.ts';
import type { CommittedValue } from '../../domain/record/commitments.ts';
import type { ExecutionState, TraceStatus } from '../../domain/record/payload.ts';
import type { Sealed } from '../../ledger/entry.ts';
import { entrySchemaOptions } from '../../ledger/ledger.model.ts';
import { traceColumns } from './traces.columns.ts';

export type Verdict = 'approved' | 'flagged' | 'blocked';

/** Free-form members of native adapters: committed to and shown under their own name. */
export const ADAPTER_MEMBERS = [
  'adapter',
  'mlBomReference',
  'art12',
  'conversation',
  'crew',
] as const;

/** Whom and what a decision belongs to: committed to and shown under their own name, where they were given. */
export const CONTEXT_MEMBERS = [
  'sessionId',
  'parentTraceId',
  'actor',
  'labels',
  'origins',
] as const;

export const REVIEW_STATUSES = ['pending', 'approved', 'rejected', 'expired', 'withdrawn'] as const;

/** The human review of a flagged decision, created with it. */
export interface ReviewItem {
  _id: Types.ObjectId;
  status: (typeof REVIEW_STATUSES)[number];
  priority: ReviewPriority;
  workflowStep: number;
  /** Set from the workspace's settings at ingestion; absent or null: no deadline. */
  slaDeadline?: Date | null;
  /** When it ends by itself, and its approval; absent: never. */
  expiresAt?: Date;
  /** Who has to approve it; absent: any reviewer, once. */
  approvals?: Approvals;
  /** The status that the decision gets at `expiresAt`; present with it. */
  onExpiry?: ExpiryOutcome;
  assignedTo?: Types.ObjectId | null;
  assignedAt?: Date | null;
  escalatedTo?: Types.ObjectId | null;
  escalatedAt?: Date | null;
  escalationReason?: string | null;
  /** When its caller last asked for the verdict; absent: never. */
  askedAt?: Date;
  decidedAt?: Date;
  decidedBy?: string | null;
  /** It was approved with edits. */
  edited?: true;
}

/** The execution of the action: claimed once by the agent, and ended by its report, by a person or by its lease. */
export interface ExecutionItem {
  _id: Types.ObjectId;
  state: ExecutionState;
  claimedAt: Date;
  leaseUntil: Date;
  endedAt?: Date | null;
}

/** Members that the appender stores beside the sealed ones. */
export interface TraceFields {
  workspaceId: string;
  /** Id of the registered agent, else the text that the caller sent. */
  agentId: string;
  agentName: string | null;
  agentVersion: string | null;
  schemaVersion: string;
  /** The current status; `verdict` is the answer of ingestion. */
  status: TraceStatus;
  verdict: Verdict;
  confidenceScore: number;
  tags: string[];
  humanOverride: boolean;
  timestamp: Date;
  clientInfo: ClientInfo | null;
  /** Committed values by name, decrypted; null once erased. `ledger/contents` defines how they are stored. */
  sealed: Record<string, CommittedValue | null>;
  /** Members of the answer to a replay that no column has. */
  answer: {
    policy: { name: string; reason: string } | null;
    /** Keyed digest of the agent's name, if the decision names no registered agent. */
    agentMark?: string;
    /** The commitment to the raw action. */
    binding?: string;
    /** The action is claimed before it is executed. */
    singleUse?: true;
    /** What stopped it when it was to be approved. */
    halt?: HaltNotice;
    /** The limits that it would have passed. */
    limits?: LimitNotice[];
    /** What a policy that blocked it has halted as well. */
    halts?: PolicyHalt;
    /** The standing grant that let it through. */
    grant?: GrantNotice;
  };
  /** Scrubbed, as its committed value is; null: none, or erased. Absent in decisions of earlier versions. */
  sessionId?: string | null;
  /** Likewise: the decision that this one follows from. */
  parentTraceId?: string | null;
  /** Ids of the policies that matched, for statistics. */
  matchedPolicyIds: string[];
  /** Those of policies that only observe; absent: none. */
  observedPolicyIds?: string[] | null;
  /** Marks what is alike among the held and blocked decisions; absent: it is none of them, or of an earlier version. */
  alike?: string | null;
  /** Milliseconds that the agent measured (`metadata.latencyMs`). */
  latency: number | null;
  scrub: { rulesVersion: string };
  review?: ReviewItem;
  execution?: ExecutionItem;
}

export interface TraceDocument extends Sealed, TraceFields {
  traceId: string;
  /** Values that a later entry replaced, by name. */
  changed?: Record<string, string | null>;
  foldedTo?: number;
  /** Which key of the sequence encrypts the contents; absent: the first. */
  generation?: number;
  /** The encrypted values. */
  content?: Buffer;
  deletedAt?: Date | null;
  erasedAt?: Date | null;
}

export const traceSchema = new Schema<TraceDocument>(
  {
    ...traceColumns.types,
    sealed: Schema.Types.Mixed,
    changed: Schema.Types.Mixed,
    foldedTo: Number,
  },
  entrySchemaOptions,
);
const partialFilterExpression = { kind: 'trace' };
traceSchema.index(
  { organizationId: 1, agentId: 1, sequence: -1 },
  { name: 'agent', partialFilterExpression },
);
traceSchema.index(
  { organizationId: 1, sessionId: 1, sequence: -1 },
  { name: 'session', partialFilterExpression: { sessionId: { $type: 'string' } } },
);
traceSchema.index(
  { organizationId: 1, parentTraceId: 1, sequence: -1 },
  { name: 'parent', partialFilterExpression: { parentTraceId: { $type: 'string' } } },
);
/** Decisions on which a policy acted: most match none, and have no key here. */
traceSchema.index(
  { organizationId: 1, matchedPolicyIds: 1, sequence: -1 },
  { name: 'policy', partialFilterExpression: { matchedPolicyIds: { $gt: '' } } },
);
/** What was held or blocked, the newest first: few decisions have a key here. */
traceSchema.index(
  { organizationId: 1, sequence: -1, alike: 1 },
  { name: 'alike', partialFilterExpression: { alike: { $gt: '' } } },
);
traceSchema.index(
  { organizationId: 1, status: 1, sequence: -1 },
  { name: 'status', partialFilterExpression },
);
traceSchema.index(
  { organizationId: 1, 'review._id': 1 },
  { name: 'review', partialFilterExpression: { 'review._id': { $exists: true } } },
);
traceSchema.index(
  { organizationId: 1, 'review.status': 1, sequence: -1 },
  { name: 'review-queue', partialFilterExpression: { 'review.status': { $exists: true } } },
);
/** What waits, in the order in which it is taken: the review queue with `sort=due`. */
traceSchema.index(
  {
    organizationId: 1,
    'review.status': 1,
    'review.priority': 1,
    'review.slaDeadline': 1,
    sequence: 1,
  },
  { name: 'review-due', partialFilterExpression: { 'review.status': 'pending' } },
);
/** What was approved, by what became of it: `claimed` of the review queue. */
traceSchema.index(
  { organizationId: 1, 'execution.state': 1, sequence: -1 },
  { name: 'review-claimed', partialFilterExpression: { 'review.status': 'approved' } },
);
traceSchema.index(
  { 'execution.leaseUntil': 1 },
  { name: 'execution-leases', partialFilterExpression: { 'execution.state': 'claimed' } },
);
/** What is being carried out: a halt lists it. */
traceSchema.index(
  { organizationId: 1, 'execution.state': 1, sequence: -1 },
  { name: 'execution-claimed', partialFilterExpression: { 'execution.state': 'claimed' } },
);
for (const [name, member] of [
  ['review-assigned', 'review.assignedAt'],
  ['review-escalated', 'review.escalatedAt'],
] as const)
  traceSchema.index(
    { organizationId: 1, [member]: -1 },
    { name, partialFilterExpression: { [member]: { $exists: true } } },
  );
/** Due expiries of all organisations: the job reads keys of this index alone. */
traceSchema.index(
  { 'review.status': 1, 'review.expiresAt': 1, organizationId: 1 },
  {
    name: 'review-expiry',
    partialFilterExpression: {
      'review.status': 'pending',
      'review.expiresAt': { $exists: true },
    },
  },
);
