// How a review ended, read from its entry: by a verdict, by lapse of time, or because its caller withdrew it (formats.md).
import type { ReviewPayload } from '../record/payload.ts';

/**
 * Commitments of entries that end a review without a verdict. The entry says `reject` like any other, so that a verifier
 * of before these existed reads it as what it means: not approved.
 */
export const LAPSED = 'expired';
export const WITHDRAWN = 'withdrawn';

export type ReviewEnd = 'approved' | 'rejected' | 'expired' | 'withdrawn';

/** An approval by lapse is an approval. */
export function findReviewEnd({ decision, commitments }: ReviewPayload): ReviewEnd {
  if (Object.hasOwn(commitments, WITHDRAWN)) return 'withdrawn';
  if (decision === 'approve') return 'approved';
  return Object.hasOwn(commitments, LAPSED) ? 'expired' : 'rejected';
}
