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
