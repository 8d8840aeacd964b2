// The span that an overview is of, and the counted paths in it.
import type { CountedKeyPath } from '../../domain/counts/top-lists.ts';
import { OTHER, parsePathKey, VERDICTS } from '../../domain/counts/decision-path.ts';
import {
  type ComparedRange,
  compareSpans,
  countBuckets,
  HOURS_KEPT_DAYS,
  MOST_BUCKETS,
} from '../../domain/series.ts';
import {
  countKeys,
  countVerdictsOverTime,
  measureCountLag,
  type VerdictCounts,
} from '../../decisions/traces/series/decision-counts.service.ts';
import { AppError } from '../../errors.ts';
import type { Context } from '../../platform/context.ts';
import type { Overview, OverviewQuery } from './overview.schemas.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 7;
/** Times that ISO 8601 writes with four digits of a year, after computers began to count. */
const EARLIEST = new Date(0);
const LATEST = new Date('9999-12-31T00:00:00Z');

/** @throws AppError `VALIDATION_ERROR` */
export function resolveSpan({ platform }: Context, query: OverviewQuery): ComparedRange {
  const now = platform.clock.now();
  const { dateTo = now } = query;
  const { dateFrom = new Date(dateTo.getTime() - DEFAULT_DAYS * DAY_MS) } = query;
  // A day less: the database removes what has expired a little later or earlier.
  const hoursSince = new Date(now.getTime() - (HOURS_KEPT_DAYS - 1) * DAY_MS);
  const span = compareSpans(dateFrom, dateTo, hoursSince);
  const size = countBuckets(span);
  const isWritable = span.before >= EARLIEST && span.to <= LATEST;
  if (size > MOST_BUCKETS.day || dateFrom > dateTo || !isWritable)
    throw new AppError('VALIDATION_ERROR', `dateFrom: 1 to ${MOST_BUCKETS.day} days before dateTo`);
  return span;
}

export async function describeSpan(
  ctx: Context,
  { bucket: unit, from, to, before }: ComparedRange,
): Promise<Overview['span']> {
  return { unit, from, to, before, behind: await measureCountLag(ctx) };
}

/** A range, and the unit of its counts. */
type Range = Pick<ComparedRange, 'bucket' | 'from' | 'to'>;

/** Decisions of every bucket, and of all of them. */
export async function loadVerdictCounts(
  ctx: Context,
  range: Range,
): Promise<{ points: ({ at: Date } & VerdictCounts)[]; sum: VerdictCounts }> {
  const points = await countVerdictsOverTime(ctx, { ...range, agentIds: null });
  const sum = { approved: 0, flagged: 0, blocked: 0 };
  for (const point of points) for (const verdict of VERDICTS) sum[verdict] += point[verdict];
  return { points, sum };
}

/** The most frequent paths, and one for each verdict of what they leave over: they add up to `sum`. */
export async function loadPaths(
  ctx: Context,
  { bucket: unit, from, to }: Range,
  sum: VerdictCounts,
): Promise<CountedKeyPath[]> {
  const counted = await countKeys(ctx, { dimension: 'path', unit, from, to });
  const paths = [...counted].flatMap(([key, count]) => {
    const path = parsePathKey(key);
    return path ? [{ ...path, count }] : [];
  });
  return [...paths, ...VERDICTS.flatMap((verdict) => findRest(paths, verdict, sum[verdict]))];
}

function findRest(
  paths: readonly CountedKeyPath[],
  verdict: keyof VerdictCounts,
  total: number,
): CountedKeyPath[] {
  const listed = paths.filter((path) => path.verdict === verdict);
  const count = listed.reduce((rest, one) => rest - one.count, total);
  const path = {
    agent: OTHER,
    policies: [OTHER],
    verdict,
    decider: OTHER,
    outcome: OTHER,
  } as const;
  return count > 0 ? [{ ...path, count }] : [];
}
