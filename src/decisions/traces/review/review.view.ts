// Renders a review item: the held decision, its assignment, and the verdict, which is an entry of its own.
import type { Types } from 'mongoose';
import type { Json } from '@assay/json';
import { isOverdue } from '@assay/policy';
import { formatAction } from '../../../domain/actions/proposed-action.ts';
import type { Involvement } from '../../../domain/review/self-review.ts';
import { findCallerWaits } from '../../../domain/review/caller-waits.ts';
import { CONTEXT_MEMBERS } from '../traces.model.ts';
import type { TraceView } from '../traces.view.ts';
import type { HeldDecision } from './held.ts';
import type { ApprovalProgress } from './approvals/approvals.service.ts';
import {
  type ApprovalsSummary,
  type ApprovalsView,
  toApprovalsSummary,
  toApprovalsView,
} from './approvals/approvals.view.ts';
import type { ReviewVerdict } from './review-verdicts.service.ts';

/** How a person decided. */
type Via = 'api' | NonNullable<ReviewVerdict['via']>;

type Reference = { _id: string; name: string };

export interface ReviewItemView<A = string> {
  _id: Types.ObjectId;
  id: Types.ObjectId;
  traceId: string;
  traceIdMongo: Types.ObjectId;
  agentId: A | null;
  agentIdStr: string;
  action: string | null;
  actionDigest: string | null;
  confidence: number;
  priority: HeldDecision['held']['item']['priority'];
  status: HeldDecision['held']['item']['status'];
  workflowStep: number;
  assignedTo: Types.ObjectId | null;
  escalatedAt: Date | null;
  escalatedTo: Types.ObjectId | null;
  escalationReason: string | null;
  slaDeadline: Date | null;
  overdue: boolean;
  expiresAt: Date | null;
  lastAskedAt: Date | null;
  callerWaits: boolean | null;
  context: Json;
  payload: Json;
  decision: 'approve' | 'reject' | null;
  decidedAt: Date | null;
  decidedBy: string | null;
  reason: string | null;
  notes: string | null;
  via: Via | null;
  receipt: ReviewVerdict['receipt'] | null;
  edits: Json;
  superseded?: true;
  approvals?: ApprovalsView;
  selfReview?: Involvement;
  organizationId: TraceView['organizationId'];
  workspaceId: string;
  createdAt: Date;
  updatedAt: Date;
  payloadOmitted?: true;
}

/** The review of a held decision, as the decision shows it. */
export interface TraceReview {
  _id: Types.ObjectId;
  status: HeldDecision['held']['item']['status'];
  priority: HeldDecision['held']['item']['priority'];
  slaDeadline: Date | null;
  expiresAt: Date | null;
  actionDigest: string | null;
  decidedAt: Date | null;
  decidedBy: string | null;
  reason: string | null;
  receipt: ReviewVerdict['receipt'] | null;
  edits: Json;
  superseded?: true;
  approvals?: ApprovalsSummary;
}

export function toTraceReview(
  trace: HeldDecision,
  { verdict, progress }: Pick<ReviewParts, 'verdict' | 'progress'>,
): TraceReview {
  const { item, actionDigest } = trace.held;
  const { _id, status, priority, slaDeadline = null, expiresAt = null } = item;
  const { decidedAt = null, decidedBy = null } = item;
  const { reason = null, receipt = null, edits = null } = verdict ?? {};
  const deadlines = { slaDeadline, expiresAt };
  const decided = { decidedAt, decidedBy, reason, receipt, edits };
  const shown = { _id, status, priority, ...deadlines, actionDigest, ...decided };
  return {
    ...Object.assign(shown, markSuperseded(trace, verdict)),
    ...(progress && { approvals: toApprovalsSummary(progress, status) }),
  };
}

/** Marks an approval whose action a later correction replaced: the action in force is not approved. */
function markSuperseded(
  { held: { item, actionDigest } }: HeldDecision,
  verdict: ReviewVerdict | undefined,
): { superseded?: true } {
  const approved = verdict?.receipt.actionDigest ?? null;
  const isStale = item.status === 'approved' && approved !== null && approved !== actionDigest;
  return isStale ? { superseded: true } : {};
}

/** A review item with its agent's name. */
export type ListedReview = ReviewItemView<Reference>;

interface ReviewParts {
  verdict: ReviewVerdict | undefined;
  /** What keeps the reader from deciding it. */
  selfReview: Involvement | undefined;
  /** Undefined: one person approves it. */
  progress: ApprovalProgress | undefined;
  now: Date;
}

export function toReviewView(trace: HeldDecision, parts: ReviewParts): ReviewItemView {
  const agentId = trace.agentName === null ? null : trace.agentId;
  return { ...toCommonMembers(trace, parts), agentId };
}

export function toListedReview(trace: HeldDecision, parts: ReviewParts): ListedReview {
  const { agentName: name, agentId: _id } = trace;
  const listed = {
    ...toCommonMembers(trace, parts),
    agentId: name === null ? null : { _id, name },
  };
  return trace.payloadOmitted ? { ...listed, payloadOmitted: true } : listed;
}

function toCommonMembers(trace: HeldDecision, { verdict, selfReview, progress, now }: ReviewParts) {
  const { held, organizationId, workspaceId, createdAt } = trace;
  const { item } = held;
  return {
    _id: item._id,
    id: item._id,
    traceId: trace.traceId,
    traceIdMongo: trace._id,
    agentIdStr: trace.agentId,
    action: formatAction(held.action),
    actionDigest: held.actionDigest,
    confidence: trace.confidenceScore,
    ...toHandling(item),
    overdue: isOverdue(item, now),
    expiresAt: item.expiresAt ?? null,
    lastAskedAt: item.askedAt ?? null,
    callerWaits: findCallerWaits(item, now),
    context: toContext(trace),
    payload: trace.outputDecision,
    ...toVerdictMembers(item, verdict),
    ...markSuperseded(trace, verdict),
    ...(progress && { approvals: toApprovalsView(progress, item.status) }),
    ...(selfReview && { selfReview }),
    organizationId,
    workspaceId,
    createdAt,
    updatedAt: findLastChange(item, createdAt),
  };
}

type Item = HeldDecision['held']['item'];

function toHandling(item: Item) {
  const { priority, status, workflowStep } = item;
  return {
    priority,
    status,
    workflowStep,
    assignedTo: item.assignedTo ?? null,
    escalatedAt: item.escalatedAt ?? null,
    escalatedTo: item.escalatedTo ?? null,
    escalationReason: item.escalationReason || null,
    slaDeadline: item.slaDeadline ?? null,
  };
}

/** What a person decided. */
const DECISIONS = {
  pending: null,
  approved: 'approve',
  rejected: 'reject',
  expired: null,
  withdrawn: null,
} as const;

/** Null: no person decided. */
function findWay(item: Item, verdict: ReviewVerdict | undefined): Via | null {
  const isDecided = DECISIONS[item.status] !== null && Boolean(item.decidedBy);
  return verdict && isDecided ? (verdict.via ?? 'api') : null;
}

function toVerdictMembers(item: Item, verdict: ReviewVerdict | undefined) {
  return {
    decision: DECISIONS[item.status],
    decidedAt: item.decidedAt ?? null,
    decidedBy: item.decidedBy ?? null,
    reason: verdict?.reason ?? null,
    notes: verdict?.notes ?? null,
    via: findWay(item, verdict),
    receipt: verdict?.receipt ?? null,
    edits: verdict?.edits ?? null,
  };
}

/** The context that a reviewer needs besides the action. */
function toContext(decision: HeldDecision): Json {
  const { held, inputContext, rationale, triggeringCondition, tags } = decision;
  const matchedPolicy = held.policy && { name: held.policy.name, reason: held.policy.reason };
  const context = { inputContext, rationale, triggeringCondition, tags, matchedPolicy };
  const relations = CONTEXT_MEMBERS.flatMap((name) => {
    const value = decision[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...context, ...Object.fromEntries(relations) };
}

function findLastChange({ assignedAt, escalatedAt, decidedAt }: Item, createdAt: Date): Date {
  const times = [createdAt, assignedAt, escalatedAt, decidedAt].map((at) => at?.getTime() ?? 0);
  return new Date(Math.max(...times));
}
