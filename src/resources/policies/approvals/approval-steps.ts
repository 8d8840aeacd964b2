// The steps that a proposed change has taken, each with who took it, when, why, and what it was about (decisions: approvals).
import type { ApprovalAction } from '../../../domain/policies/changes/approval.ts';
import { AppError } from '../../../errors.ts';
import type { ApprovalStep, PolicyApprovalDocument } from './policy-approvals.model.ts';

/** Of an author, so that what somebody else does always fits. */
const AUTHOR_STEPS_MAX = 100;

/** Oldest first; of an approval of an earlier version its last action is all that is known. */
export function stepsOf({ steps, lastAction, state }: PolicyApprovalDocument): ApprovalStep[] {
  if (steps) return steps;
  return lastAction ? [{ ...lastAction, digest: null, from: null, to: state }] : [];
}

/** @throws AppError `INVALID_OPERATION` when its author has edited it very often */
export function requireFewSteps(approval: PolicyApprovalDocument): void {
  if (stepsOf(approval).length >= AUTHOR_STEPS_MAX)
    throw new AppError(
      'INVALID_OPERATION',
      `A change takes at most ${AUTHOR_STEPS_MAX} steps: withdraw it and propose it anew`,
    );
}

/** Whether other contents than those that are proposed now were up for review; a draft never is. */
function mayHaveChanged({ steps }: PolicyApprovalDocument): boolean {
  if (!steps) return true;
  const reviewable = steps.filter(({ to }) => to !== 'draft').map(({ digest }) => digest);
  return new Set(reviewable).size > 1;
}

/** Actions that are a word for the contents. */
const APPROVING: readonly ApprovalAction[] = [
  'reviewer-approve',
  'enforcer-promote',
  'break-glass',
];

/** @throws AppError `INVALID_OPERATION` for other contents than the caller saw, `VALIDATION_ERROR` when an edited change is approved without naming them */
export function requireSeen(
  approval: PolicyApprovalDocument,
  action: ApprovalAction,
  digest: string | undefined,
): void {
  if (digest !== undefined && digest !== approval.digest)
    throw new AppError('INVALID_OPERATION', 'The change was edited since');
  if (digest === undefined && APPROVING.includes(action) && mayHaveChanged(approval))
    throw new AppError(
      'VALIDATION_ERROR',
      'digest: required, for the change was edited; send that of the contents that you saw',
    );
}
