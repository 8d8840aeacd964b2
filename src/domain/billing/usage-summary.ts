// The usage summary of a month: share of the limit, projection, change (document 3, section 4.9).
import type { Plan } from '../identity/plans.ts';
import { countMonthDays, toMonthStart } from './months.ts';

export interface Counters {
  thisMonth: number;
  today: number;
  lastMonth: number;
  totalAllTime: number;
}

export interface UsageSummary extends Counters {
  plan: Plan;
  limit: number | null;
  unlimited: boolean;
  percentUsed: number;
  remaining: number | null;
  resetDate: Date;
  dailyAverage: number;
  projectedMonthly: number;
  monthOverMonthChange: number;
  status: UsageStatus;
}

export const USAGE_STATUSES = ['ok', 'warning', 'exceeded'] as const;
export type UsageStatus = (typeof USAGE_STATUSES)[number];

/** The number of decisions at which the warning begins: nine tenths of the monthly limit. */
export function computeWarningThreshold(limit: number): number {
  return Math.ceil((limit * 9) / 10);
}

/** @param limit decisions a month; null: unlimited */
export function createUsageSummary(
  { plan, limit }: { plan: Plan; limit: number | null },
  counters: Counters,
  now: Date,
): UsageSummary {
  const { thisMonth, lastMonth } = counters;
  const dailyAverage = Math.round(thisMonth / now.getUTCDate());
  return {
    plan,
    limit,
    unlimited: limit === null,
    ...counters,
    percentUsed: limit === null ? 0 : (thisMonth * 100) / limit,
    remaining: limit === null ? null : Math.max(0, limit - thisMonth),
    resetDate: toMonthStart(now, 1),
    dailyAverage,
    projectedMonthly: dailyAverage * countMonthDays(now),
    monthOverMonthChange: computeChange(lastMonth, thisMonth),
    status: toUsageStatus(limit, thisMonth),
  };
}

function toUsageStatus(limit: number | null, count: number): UsageStatus {
  if (limit === null || count < computeWarningThreshold(limit)) return 'ok';
  return count < limit ? 'warning' : 'exceeded';
}

/** The change in percent; any growth from zero counts as 100. */
function computeChange(before: number, after: number): number {
  if (before === 0) return after === 0 ? 0 : 100;
  return ((after - before) * 100) / before;
}
