// The steps of a proposed change: who took each, when, why, and for which contents (decisions: approvals).
import type { ApprovalAction } from '../../domain/policies/changes/approval.ts';
import { AppError } from '../../errors.ts';
import type { ApprovalStep, PolicyApprovalDocument } from './policy-approvals.model.ts';

/** Bounds the edits of the author, so that the steps of reviewers and enforcers always fit. */
const AUTHOR_STEPS_MAX = 100;

/** Lists the steps, oldest first. An approval of an earlier version only knows its last action. */
export function listSteps({ steps, lastAction, state }: PolicyApprovalDocument): ApprovalStep[] {
  if (steps) return steps;
  return lastAction ? [{ ...lastAction, digest: null, from: null, to: state }] : [];
}

/** @throws AppError `INVALID_OPERATION` when its author has edited it very often */
export function requireFewSteps(approval: PolicyApprovalDocument): void {
  if (listSteps(approval).length >= AUTHOR_STEPS_MAX)
    throw new AppError(
      'INVALID_OPERATION',
      `A change takes at most ${AUTHOR_STEPS_MAX} steps: withdraw it and propose it again`,
    );
}

/** Returns whether a reviewer may have seen other contents than the current ones. Drafts are not reviewed. */
function mayHaveChanged({ steps }: PolicyApprovalDocument): boolean {
  if (!steps) return true;
  const reviewable = steps.filter(({ to }) => to !== 'draft').map(({ digest }) => digest);
  return new Set(reviewable).size > 1;
}

/** Actions that approve the contents. */
const APPROVING: readonly ApprovalAction[] = [
  'reviewer-approve',
  'enforcer-promote',
  'break-glass',
];

/**
 * Requires that the caller has seen the current contents.
 * @throws AppError `INVALID_OPERATION` for another digest, `VALIDATION_ERROR` when an edited change is approved
 * without one
 */
export function requireSeen(
  approval: PolicyApprovalDocument,
  action: ApprovalAction,
  digest: string | undefined,
): void {
  if (digest !== undefined && digest !== approval.digest)
    throw new AppError(
      'INVALID_OPERATION',
      'The change was edited since you read it (digest): read it again',
    );
  if (digest === undefined && APPROVING.includes(action) && mayHaveChanged(approval))
    throw new AppError(
      'VALIDATION_ERROR',
      'digest: required, for the change was edited; send that of the contents that you saw',
    );
}
