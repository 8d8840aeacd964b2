// Calendar months and days in UTC, the periods of counting and billing.

const DAY_MS = 24 * 60 * 60 * 1000;

const label = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** The first moment of the month that lies `months` after the month of `at`; negative values lead back. */
export function toMonthStart(at: Date, months = 0): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1));
}

export function toDayStart(at: Date): Date {
  return new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);
}

export function countMonthDays(at: Date): number {
  return (toMonthStart(at, 1).getTime() - toMonthStart(at).getTime()) / DAY_MS;
}

/** `YYYY-MM`. */
export function toMonthKey(at: Date): string {
  return at.toISOString().slice(0, 7);
}

/** `Mon YYYY`. */
export function formatMonth(at: Date): string {
  return label.format(at);
}

/** The first moments of all months from `first` to `last`, oldest first. */
export function listMonths(first: Date, last: Date): Date[] {
  const months: Date[] = [];
  for (let start = toMonthStart(first); start <= last; start = toMonthStart(start, 1))
    months.push(start);
  return months;
}
