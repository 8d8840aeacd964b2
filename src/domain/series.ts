// Buckets of a series in time: hours and days, in UTC.

export const BUCKETS = ['hour', 'day'] as const;
export type Bucket = (typeof BUCKETS)[number];

const BUCKET_MS: Readonly<Record<Bucket, number>> = { hour: 3_600_000, day: 86_400_000 };

/** Buckets of a series that names no beginning. */
const DEFAULT_BUCKETS: Readonly<Record<Bucket, number>> = { hour: 24, day: 30 };

/** Most buckets of a series: a month of hours, a year of days. */
export const MOST_BUCKETS: Readonly<Record<Bucket, number>> = { hour: 744, day: 366 };

/** Whole buckets: from the beginning of the first up to the end of the last. */
export interface BucketRange {
  bucket: Bucket;
  from: Date;
  to: Date;
}

/** The beginning of the bucket that a time lies in. */
export function floorToBucket(at: Date, bucket: Bucket): Date {
  const size = BUCKET_MS[bucket];
  return new Date(Math.floor(at.getTime() / size) * size);
}

/** The buckets from that of `from` to that of `to`; `from` null: as many as are usual. */
export function computeBucketRange(bucket: Bucket, from: Date | null, to: Date): BucketRange {
  const size = BUCKET_MS[bucket];
  const end = floorToBucket(to, bucket).getTime() + size;
  const first =
    from === null ? end - DEFAULT_BUCKETS[bucket] * size : floorToBucket(from, bucket).getTime();
  return { bucket, from: new Date(first), to: new Date(end) };
}

/** Negative: the range ends before it begins. */
export function countBuckets({ bucket, from, to }: BucketRange): number {
  return (to.getTime() - from.getTime()) / BUCKET_MS[bucket];
}

/** The beginnings of all buckets of a range, earliest first. */
export function listBuckets(range: BucketRange): Date[] {
  const { bucket, from } = range;
  return Array.from(
    { length: countBuckets(range) },
    (_, index) => new Date(from.getTime() + index * BUCKET_MS[bucket]),
  );
}

/** Days that the hours of counts are kept that are kept by days as well. */
export const HOURS_KEPT_DAYS = 40;

/** The whole buckets that a range touches. */
export function computeCoveredRange(
  bucket: Bucket,
  { from, to }: Pick<BucketRange, 'from' | 'to'>,
): BucketRange {
  return computeBucketRange(bucket, from, new Date(to.getTime() - 1));
}

/** Whole buckets, and as many before them. */
export interface ComparedRange extends BucketRange {
  before: Date;
}

/** Hours of a span that is counted by hours: eight days. */
const SPAN_HOURS = 192;

/**
 * The span from the bucket of one time to that of another, and the same span before it: by hours where it is short and
 * the hours of both are kept, else by days.
 */
export function compareSpans(from: Date, to: Date, hoursSince: Date): ComparedRange {
  const hours = computeBucketRange('hour', from, to);
  const range = isKept(hours, hoursSince) ? hours : computeBucketRange('day', from, to);
  return { ...range, before: new Date(2 * range.from.getTime() - range.to.getTime()) };
}

function isKept(hours: BucketRange, hoursSince: Date): boolean {
  const before = 2 * hours.from.getTime() - hours.to.getTime();
  return countBuckets(hours) <= SPAN_HOURS && before >= hoursSince.getTime();
}
