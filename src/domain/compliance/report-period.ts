// When a report is due: Monday, or the first of a month, at six in the morning (UTC).

export const REPORT_PERIODS = ['week', 'month'] as const;
export type ReportPeriod = (typeof REPORT_PERIODS)[number];

const HOUR = 6;
const MONDAY = 1;
const WEEK = 7;

/** The next time after `now`, however many were missed. */
export function computeNextReport(every: ReportPeriod, now: Date): Date {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (every === 'month') {
    const first = new Date(Date.UTC(year, month, 1, HOUR));
    return first > now ? first : new Date(Date.UTC(year, month + 1, 1, HOUR));
  }
  const ahead = (MONDAY - now.getUTCDay() + WEEK) % WEEK;
  const monday = new Date(Date.UTC(year, month, day + ahead, HOUR));
  return monday > now ? monday : new Date(Date.UTC(year, month, day + ahead + WEEK, HOUR));
}
