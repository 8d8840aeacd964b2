// Whether the caller of a held decision still waits for its verdict (docs/guides/reviews.md).

/** A caller that waits asks at least this often. */
const ASKS_WITHIN_MS = 300_000;

/** The members of a review that this module reads. */
interface Asked {
  status: string;
  askedAt?: Date | null;
}

/** Null: it has never asked. */
export function findCallerWaits({ status, askedAt }: Asked, now: Date): boolean | null {
  if (status === 'withdrawn') return false;
  if (!askedAt) return null;
  return askedAt >= startOfAsking(now);
}

/** Filter for the decisions whose review `findCallerWaits` says this of. */
export function toCallerWaitsFilter(waits: boolean, now: Date): object {
  const since = startOfAsking(now);
  const withdrawn = { 'review.status': 'withdrawn' };
  return waits
    ? { 'review.askedAt': { $gte: since }, $nor: [withdrawn] }
    : { $or: [{ 'review.askedAt': { $lt: since } }, withdrawn] };
}

/** A caller that asked before it waits no more. */
const startOfAsking = (now: Date): Date => new Date(now.getTime() - ASKS_WITHIN_MS);
