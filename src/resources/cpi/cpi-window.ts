// The rolling window of the index: today and the 29 days before, in UTC.
export interface Window {
  /** Midnight. */
  from: Date;
  to: Date;
  days: number;
}

const DAYS = 30;
const DAY_MS = 86_400_000;

export function lastDays(now: Date): Window {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  return { from: new Date(today - (DAYS - 1) * DAY_MS), to: now, days: DAYS };
}
