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
  return now.getTime() - askedAt.getTime() <= ASKS_WITHIN_MS;
}
