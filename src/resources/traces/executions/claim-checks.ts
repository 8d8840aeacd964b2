// Decides whether an action may be claimed: status, expiry, digest, once, in this order.
import { commitRawAction, deriveBindingSalt } from '../../../domain/record/proposed-action.ts';
import { isApprovalUsable } from '../../../domain/review/review-expiry.ts';
import { AppError } from '../../../errors.ts';
import type { TraceDocument } from '../traces.model.ts';
import { findBinding } from '../review/review-amendment.ts';
import type { ClaimInput } from './executions.schemas.ts';

/** Expects an opened decision. @throws AppError `APPROVAL_...`, `DECISION_ERASED`, `INVALID_OPERATION` */
export function requireClaimable(trace: TraceDocument, claim: ClaimInput, now: Date): void {
  requireApproved(trace);
  requireUnexpired(trace, now);
  requireSameAction(trace, claim);
  if (trace.execution?._id) throw new AppError('APPROVAL_USED');
}

/** Statuses that let an action be executed; a person may set another one after an approval. */
const APPROVED: ReadonlySet<string> = new Set(['approved', 'success']);

/** What a review that has ended without an approval is answered with. */
const ENDED = {
  pending: 'APPROVAL_PENDING',
  rejected: 'APPROVAL_REJECTED',
  withdrawn: 'APPROVAL_REJECTED',
  expired: 'APPROVAL_EXPIRED',
} as const;

function requireApproved({ review, verdict, status, erasedAt }: TraceDocument): void {
  if (verdict === 'blocked') throw new AppError('APPROVAL_REJECTED', 'A policy blocked the action');
  const ended = ENDED[review?.status as keyof typeof ENDED];
  if (ended !== undefined) throw new AppError(ended);
  if (status === 'blocked') throw new AppError('APPROVAL_REJECTED');
  if (!APPROVED.has(status)) throw new AppError('APPROVAL_PENDING');
  if (erasedAt) throw new AppError('DECISION_ERASED', 'The content of the decision was erased');
}

/** At the end of the hold its approval ends. */
function requireUnexpired({ review }: TraceDocument, now: Date): void {
  if (review && !isApprovalUsable(review, now)) throw new AppError('APPROVAL_EXPIRED');
}

function requireSameAction(trace: TraceDocument, { rawActionDigest }: ClaimInput): void {
  const { submitted } = trace.sealed;
  if (trace.answer?.binding === undefined || !submitted)
    throw new AppError('INVALID_OPERATION', 'The decision was recorded before actions were bound');
  const binding = findBinding(trace);
  if (binding === null)
    throw new AppError('APPROVAL_MISMATCH', 'The action was corrected; propose the new one');
  if (commitRawAction(rawActionDigest, deriveBindingSalt(submitted.seed)) !== binding)
    throw new AppError('APPROVAL_MISMATCH');
}
