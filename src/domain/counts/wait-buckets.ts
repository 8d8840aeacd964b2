// Durations counted in buckets that grow by a fifth: a percentile is exact to that.

/** Up to a second, then four buckets for each doubling: the last begins after 48 days. */
const PER_DOUBLING = 4;
const BUCKETS = 1 + 22 * PER_DOUBLING + 1;
const LAST = BUCKETS - 1;

/** The bucket of a duration; a negative one counts as none. */
export function toWaitBucket(seconds: number): number {
  if (!(seconds > 1)) return 0;
  return Math.min(LAST, 1 + Math.floor(PER_DOUBLING * Math.log2(seconds)));
}

const beginBucket = (bucket: number): number =>
  bucket === 0 ? 0 : 2 ** ((bucket - 1) / PER_DOUBLING);

/** The duration in seconds that this share of what was counted does not pass; null: nothing was. */
export function findPercentile(counts: ReadonlyMap<number, number>, share: number): number | null {
  const total = sumCounts(counts);
  if (total === 0) return null;
  let before = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const count = counts.get(bucket) ?? 0;
    if (count > 0 && before + count >= share * total) {
      const part = Math.max(0, (share * total - before) / count);
      const [begin, end] = [beginBucket(bucket), beginBucket(bucket + 1)];
      return Math.round(10 * (begin + part * (end - begin))) / 10;
    }
    before += count;
  }
  return null;
}

export function sumCounts(counts: ReadonlyMap<unknown, number>): number {
  let total = 0;
  for (const count of counts.values()) total += count;
  return total;
}
