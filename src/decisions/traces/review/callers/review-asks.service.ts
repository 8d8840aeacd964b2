// Notes when the caller of a held decision last asked for its verdict: at most once a minute, in no entry of the chain.
import type { Platform } from '../../../../platform/platform.ts';
import { toObjectId } from '../../../../ledger/ledger.model.ts';
import type { ReviewItem } from '../../traces.model.ts';

const NOTED_EVERY_MS = 60_000;

/** What is asked about, as it was read. */
interface HeldTrace {
  traceId: string;
  review?: Partial<Pick<ReviewItem, 'status' | 'askedAt'>>;
}

/** Writes nothing where the decision is not held, or was asked about within the minute. Never fails. */
export async function noteAsk(
  platform: Platform,
  organizationId: string,
  { traceId, review }: HeldTrace,
): Promise<void> {
  if (review?.status !== 'pending') return;
  const at = platform.clock.now();
  const before = new Date(at.getTime() - NOTED_EVERY_MS);
  if (review.askedAt && review.askedAt > before) return;
  // The answer matters more than the note.
  await platform.ledger.fold
    .noteAsk(toObjectId(organizationId), traceId, { at, before })
    .catch(() => undefined);
}
