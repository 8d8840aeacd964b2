// Renders how far the approvals of a held decision have come: by step, and vote by vote.
import type { z } from 'zod';
import {
  countVotes,
  describeMissing,
  type StepState,
} from '../../../../domain/review/approval-votes.ts';
import type { ReviewItem } from '../../traces.model.ts';
import type { approvalsSummary, approvalsView } from './approvals.schemas.ts';
import type { ApprovalProgress, AskedBallot } from './approvals.service.ts';

export type ApprovalsView = z.input<typeof approvalsView>;

export type ApprovalsSummary = z.input<typeof approvalsSummary>;

/** The approval that ends a review is its verdict, and none of the votes: once approved, all were given. */
export const toApprovalsSummary = (
  { steps, needed, given }: Pick<ApprovalProgress, 'steps' | 'needed' | 'given'>,
  status: ReviewItem['status'],
): ApprovalsSummary => ({
  needed: Math.max(needed, 1),
  given: status === 'approved' ? Math.max(needed, 1) : given,
  waitsFor: status === 'pending' ? describeMissing(steps) || 'a signed approval' : null,
});

export const toAskedState = (
  { approvals, ballot }: AskedBallot,
  status: ReviewItem['status'],
): ApprovalsSummary => toApprovalsSummary(countVotes(approvals, ballot), status);

export function toApprovalsView(
  progress: ApprovalProgress,
  status: ReviewItem['status'],
): ApprovalsView {
  const { approvals, votes, steps, callerMayApprove } = progress;
  const isApproved = status === 'approved';
  return {
    ...toApprovalsSummary(progress, status),
    callerMayApprove: status === 'pending' && callerMayApprove,
    signed: approvals.signed === true,
    inOrder: approvals.inOrder,
    exclude: [...approvals.exclude],
    steps: steps.map((state) => toStepView(state, isApproved)),
    edits: votes.at(-1)?.vote.edits ?? null,
    votes: votes.map(({ vote, step }) => ({
      userId: vote.userId,
      delegator: vote.delegator,
      at: vote.at,
      sequence: vote.sequence,
      step,
      reason: vote.reason,
      notes: vote.notes,
      edited: vote.isEdited,
      via: vote.via ?? 'api',
    })),
  };
}

const toStepView = ({ step, given, isEscalated }: StepState, isApproved: boolean) => ({
  name: step.name,
  roles: [...step.roles],
  people: [...step.people],
  agentOwner: step.agentOwner,
  count: step.count,
  given: isApproved ? step.count : given,
  escalated: isEscalated,
});
