// Lets a verdict or a withdrawal end a review in time: a review whose time is over is ended as expired instead.
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import type { Decide } from '../../../ledger/amend/amendments.ts';
import type { ReviewItem, TraceDocument } from '../traces.model.ts';
import { openSubject, prepareExpiryAmendment } from './review-amendment.ts';
import { isOver } from './review-time.ts';

type Deps = Pick<Platform, 'contents' | 'ledger' | 'draw16Bytes' | 'clock'>;

/**
 * Ends the review of a decision as `decide` says. The clock decides about the time, not whether the job has run.
 * @throws AppError `REVIEW_ENDED` when the time is over, and what `decide` throws
 */
export async function endInTime(
  { contents, ledger, draw16Bytes, clock }: Deps,
  { organizationId, traceId }: { organizationId: string; traceId: string },
  decide: Decide<TraceDocument>,
): Promise<void> {
  const expire = prepareExpiryAmendment(organizationId, draw16Bytes);
  let lapsed: ReviewItem | null = null;
  await ledger.amendments.append(organizationId, traceId, async (about) => {
    const { review, deletedAt } = about.trace;
    const isLate = !deletedAt && (await isOver({ ledger, clock }, about.trace));
    lapsed = isLate ? (review ?? null) : null;
    return isLate ? expire(await openSubject(contents, about)) : decide(about);
  });
  if (lapsed)
    throw createEndedError((lapsed as ReviewItem).onExpiry === 'approve' ? 'approved' : 'expired');
}

const TEXTS: Readonly<Record<Exclude<ReviewItem['status'], 'pending'>, string>> = {
  approved: 'The decision has been approved',
  rejected: 'The decision has been rejected',
  expired: 'The review has expired: its time was over before there was a verdict',
  withdrawn: 'The decision has been withdrawn by its caller',
};

export function createEndedError(status: keyof typeof TEXTS): AppError {
  return new AppError('REVIEW_ENDED', TEXTS[status], { data: { status } });
}

/** Refuses a verdict on an item that is not pending. */
export function createDecidedError(status: ReviewItem['status'] | undefined): AppError {
  return status === 'expired' || status === 'withdrawn'
    ? createEndedError(status)
    : new AppError('INVALID_OPERATION', 'The item has been decided');
}
