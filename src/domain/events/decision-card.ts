// The facts of a decision in mails, chats and pages: action, agent, confidence, policy, deadline.
import type { Json } from '@assay/json';
import type { ReviewPriority } from '@assay/policy';
import { toPlainText } from '../names/plain-text.ts';
import { toQuotedName } from '../names/quoted-name.ts';
import { type VoteState, formatApprovals } from '../review/approval-votes.ts';

/** A decision as people are shown it; its texts are scrubbed. */
export interface DecisionCard {
  organizationId: string;
  workspaceId: string;
  traceId: string;
  /** The name of the registered agent, else what the caller sent. */
  agent: string;
  /** Canonical JSON where it is no text; null: not kept. */
  action: string | null;
  confidence: number;
  policy: { name: string; reason: string } | null;
  /** What the agent was asked, and why it decided so. */
  inputContext: Json;
  rationale: string | null;
  /** Of the decision. */
  status: string;
  /** Null: it was not held. */
  review: HeldReview | null;
}

export interface HeldReview {
  reviewId: string;
  status: string;
  actionDigest: string | null;
  priority: ReviewPriority;
  deadline: Date | null;
  /** When the hold ends by itself; null: never. */
  expiresAt: Date | null;
  decidedBy: string | null;
  decidedAt: Date | null;
  /** How far it is where several people have to approve; null: one decides. */
  approvals: VoteState | null;
}

export type HeldCard = DecisionCard & { review: HeldReview };

export const isHeldCard = (card: DecisionCard | null): card is HeldCard =>
  card !== null && card.review !== null;

/** Whom a link is for: a person by mail, or a chat by its rule or webhook. */
export type LinkHolder = { userId: string } | { receiver: string };

/** How events read the decisions that they are about. */
export interface DecisionReader {
  /** Null: there is none, it was deleted, or its contents were erased. */
  findCard(organizationId: string, traceId: string): Promise<DecisionCard | null>;
  /** Issues a link to decide by. */
  issueLink(card: HeldCard, holder: LinkHolder): Promise<string>;
}

export type Fact = readonly [name: string, value: string];

const ACTION_MAX = 300;
const REASON_MAX = 300;

/** `2026-11-26 14:00 UTC` */
export const formatTime = (at: Date): string =>
  `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

export function listDecisionFacts({
  agent,
  action,
  confidence,
  policy,
  status,
  review,
}: DecisionCard): Fact[] {
  const facts: (Fact | null)[] = [
    ['Agent', toQuotedName(agent)],
    ['Action', action === null ? 'not kept' : toPlainText(action, ACTION_MAX)],
    ['Status', review ? review.status : status],
    ['Confidence', String(confidence)],
    policy && ['Policy', toQuotedName(policy.name)],
    policy && policy.reason !== '' ? ['Reason', toPlainText(policy.reason, REASON_MAX)] : null,
    review?.approvals ? ['Approvals', toApprovalsText(review.approvals)] : null,
    review && ['Priority', review.priority],
    review?.deadline ? ['Decide by', formatTime(review.deadline)] : null,
  ];
  return facts.filter((fact) => fact !== null);
}

export const toApprovalsText = (approvals: VoteState): string =>
  toPlainText(formatApprovals(approvals), REASON_MAX);

/** The page of the console that shows a review: by the id of its item, or the `traceId` of its decision. */
export const toReviewPage = (id: string): string => `/console/review/${id}`;

/** The page of the console that shows any decision. */
export const toDecisionPage = (traceId: string): string => `/console/decisions/${traceId}`;
