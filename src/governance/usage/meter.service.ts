// The meter: decisions by day and month, read off the chain, which counts them at sealing (document 3, section 4.9).
import type { Platform } from '../../platform/platform.ts';
import { readMonthCount, findLastReadings, type Reading } from '../../domain/billing/meter.ts';
import { toDayStart, listMonths, toMonthStart } from '../../domain/billing/months.ts';
import type { Counters } from '../../domain/billing/usage-summary.ts';

/** The fields that a reading needs; `createdAt` never decreases along a chain. */
const READ = 'sequence createdAt usage';

/** A month, given by its first instant, and its number of decisions. */
interface MonthCount {
  month: Date;
  count: number;
}

/** The last `length` months, oldest first. */
export async function countLastMonths(
  platform: Platform,
  organizationId: string,
  length: number,
): Promise<MonthCount[]> {
  const now = platform.clock.now();
  const months = listMonths(toMonthStart(now, 1 - length), now);
  const readings = await loadReadings(platform, organizationId, months.map(toMonthEnd));
  return months.map((month, index) => ({ month, count: readMonthCount(month, readings[index]) }));
}

export async function countThisMonth(platform: Platform, organizationId: string): Promise<number> {
  const [current] = await countLastMonths(platform, organizationId, 1);
  return current?.count ?? 0;
}

export async function loadCounters(platform: Platform, organizationId: string): Promise<Counters> {
  const now = platform.clock.now();
  const first = await readChainEnd(platform, organizationId, 1);
  const lastMonth = toMonthStart(now, -1);
  const start = first && first.createdAt < lastMonth ? first.createdAt : lastMonth;
  const months = listMonths(start, now);
  const instants = [...months.map(toMonthEnd), toDayStart(now)];
  const readings = await loadReadings(platform, organizationId, instants);
  const counts = months.map((month, index) => readMonthCount(month, readings[index]));
  const thisMonth = counts.at(-1) ?? 0;
  return {
    thisMonth,
    today: thisMonth - readMonthCount(now, readings.at(-1)),
    lastMonth: counts.at(-2) ?? 0,
    totalAllTime: counts.reduce((sum, count) => sum + count, 0),
  };
}

const toMonthEnd = (month: Date): Date => toMonthStart(month, 1);

/** Returns, for each instant, the newest entry before it. */
async function loadReadings(
  platform: Platform,
  organizationId: string,
  instants: readonly Date[],
): Promise<(Reading | null)[]> {
  const newest = await readChainEnd(platform, organizationId, -1);
  if (!newest) return instants.map(() => null);
  return findLastReadings(instants, newest, (sequences) =>
    platform.models.ledger
      .find({ organizationId, sequence: { $in: [...sequences] } }, READ)
      .lean<Reading[]>(),
  );
}

async function readChainEnd(
  { models }: Platform,
  organizationId: string,
  sort: 1 | -1,
): Promise<Reading | null> {
  const query = models.ledger.findOne({ organizationId }, READ).sort({ sequence: sort });
  return query.lean<Reading>();
}
