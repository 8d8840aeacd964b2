// The meter: decisions by day and month, read off the chain, which counts them at sealing (document 3, section 4.9).
import type { Platform } from '../../composition/platform.ts';
import { countIn, lastBefore, type Reading } from '../../domain/billing/meter.ts';
import { dayStart, monthsBetween, monthStart } from '../../domain/billing/months.ts';
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
  async function endOf(organizationId: string, sort: 1 | -1): Promise<Reading | null> {
    const query = models.ledger.findOne({ organizationId }, READ).sort({ sequence: sort });
    return query.lean<Reading>();
  }

  /** Returns, for each instant, the newest entry before it. */
  async function readingsAt(
    organizationId: string,
    instants: readonly Date[],
  ): Promise<(Reading | null)[]> {
    const newest = await endOf(organizationId, -1);
    if (!newest) return instants.map(() => null);
    return lastBefore(instants, newest, (sequences) =>
      models.ledger
        .find({ organizationId, sequence: { $in: [...sequences] } }, READ)
        .lean<Reading[]>(),
    );
  }

  async function countMonths(
    organizationId: string,
    months: readonly Date[],
  ): Promise<MonthCount[]> {
    const ends = months.map((month) => monthStart(month, 1));
    const readings = await readingsAt(organizationId, ends);
    return months.map((month, index) => ({ month, count: countIn(month, readings[index]) }));
  }

  return {
    async thisMonth(organizationId: string): Promise<number> {
      const [current] = await countMonths(organizationId, [monthStart(clock.now())]);
      return current?.count ?? 0;
    },

    /** The last `length` months, oldest first. */
    months(organizationId: string, length: number): Promise<MonthCount[]> {
      const now = clock.now();
      return countMonths(organizationId, monthsBetween(monthStart(now, 1 - length), now));
    },

    async counters(organizationId: string): Promise<Counters> {
      const now = clock.now();
      const first = await endOf(organizationId, 1);
      const lastMonth = monthStart(now, -1);
      const begun = first && first.createdAt < lastMonth ? first.createdAt : lastMonth;
      const months = monthsBetween(begun, now);
      const ends = months.map((month) => monthStart(month, 1));
      const readings = await readingsAt(organizationId, [...ends, dayStart(now)]);
      const counts = months.map((month, index) => countIn(month, readings[index]));
      const thisMonth = counts.at(-1) ?? 0;
      return {
        thisMonth,
        today: thisMonth - countIn(now, readings.at(-1)),
        lastMonth: counts.at(-2) ?? 0,
        totalAllTime: counts.reduce((sum, count) => sum + count, 0),
      };
    },
  };
}
export type MeterService = ReturnType<typeof createMeterService>;
