// The meter: decisions by day and month, read off the chain, which counts them at sealing (document 3, section 4.9).
import type { Platform } from '../../platform/platform.ts';
import { readMonthCount, findLastReadings, type Reading } from '../../domain/billing/meter.ts';
import { toDayStart, listMonths, toMonthStart } from '../../domain/billing/months.ts';
import type { Counters } from '../../domain/billing/usage-summary.ts';

type Deps = Pick<Platform, 'models' | 'clock'>;

/** The fields that a reading needs; `createdAt` never decreases along a chain. */
const READ = 'sequence createdAt usage';

/** A month, given by its first instant, and its number of decisions. */
interface MonthCount {
  month: Date;
  count: number;
}

export function createMeterService({ models, clock }: Deps) {
  async function readChainEnd(organizationId: string, sort: 1 | -1): Promise<Reading | null> {
    const query = models.ledger.findOne({ organizationId }, READ).sort({ sequence: sort });
    return query.lean<Reading>();
  }

  /** Returns, for each instant, the newest entry before it. */
  async function loadReadings(
    organizationId: string,
    instants: readonly Date[],
  ): Promise<(Reading | null)[]> {
    const newest = await readChainEnd(organizationId, -1);
    if (!newest) return instants.map(() => null);
    return findLastReadings(instants, newest, (sequences) =>
      models.ledger
        .find({ organizationId, sequence: { $in: [...sequences] } }, READ)
        .lean<Reading[]>(),
    );
  }

  async function countMonths(
    organizationId: string,
    months: readonly Date[],
  ): Promise<MonthCount[]> {
    const ends = months.map((month) => toMonthStart(month, 1));
    const readings = await loadReadings(organizationId, ends);
    return months.map((month, index) => ({ month, count: readMonthCount(month, readings[index]) }));
  }

  return {
    async countThisMonth(organizationId: string): Promise<number> {
      const [current] = await countMonths(organizationId, [toMonthStart(clock.now())]);
      return current?.count ?? 0;
    },

    /** The last `length` months, oldest first. */
    countLastMonths(organizationId: string, length: number): Promise<MonthCount[]> {
      const now = clock.now();
      return countMonths(organizationId, listMonths(toMonthStart(now, 1 - length), now));
    },

    async loadCounters(organizationId: string): Promise<Counters> {
      const now = clock.now();
      const first = await readChainEnd(organizationId, 1);
      const lastMonth = toMonthStart(now, -1);
      const start = first && first.createdAt < lastMonth ? first.createdAt : lastMonth;
      const months = listMonths(start, now);
      const ends = months.map((month) => toMonthStart(month, 1));
      const readings = await loadReadings(organizationId, [...ends, toDayStart(now)]);
      const counts = months.map((month, index) => readMonthCount(month, readings[index]));
      const thisMonth = counts.at(-1) ?? 0;
      return {
        thisMonth,
        today: thisMonth - readMonthCount(now, readings.at(-1)),
        lastMonth: counts.at(-2) ?? 0,
        totalAllTime: counts.reduce((sum, count) => sum + count, 0),
      };
    },
  };
}
export type MeterService = ReturnType<typeof createMeterService>;
