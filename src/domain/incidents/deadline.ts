// Adds a duration to a moment in UTC, so that no time zone and no daylight saving moves a deadline.

const HOUR_MS = 3_600_000;
const DURATION = /^P(?:(\d{1,3})M|(\d{1,3})D|T(\d{1,4})H)$/;

/**
 * `start` plus the duration `after` (`PT72H`, `P30D`, `P1M`). A day is 24 hours. A month ends on the same day of the
 * next month, or on its last day when there is no such day.
 * @throws Error for any other duration
 */
export function addDuration(start: Date, after: string): Date {
  const parts = DURATION.exec(after);
  if (!parts) throw new Error(`no duration: ${after}`);
  const [, months, days, hours] = parts;
  if (months !== undefined) return addMonths(start, Number(months));
  return new Date(start.getTime() + (Number(days ?? 0) * 24 + Number(hours ?? 0)) * HOUR_MS);
}

function addMonths(start: Date, months: number): Date {
  const moved = new Date(start);
  const day = start.getUTCDate();
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  const lastDay = new Date(
    Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0),
  ).getUTCDate();
  moved.setUTCDate(Math.min(day, lastDay));
  return moved;
}
