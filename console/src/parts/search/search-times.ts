// Spans and days as the search line has them.

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
};
const DURATION = /^(\d{1,6})([smhdw])$/;
const TEN_YEARS = 315_360_000;

/** Seconds of a span such as `7d`, at most ten years; null: it is none. */
export function readDuration(text: string): number | null {
  const [, count, unit = ''] = DURATION.exec(text.toLowerCase()) ?? [];
  const seconds = Number(count) * (UNIT_SECONDS[unit] ?? NaN);
  return seconds > 0 && seconds <= TEN_YEARS ? seconds : null;
}

/** A day of the calendar, as `2026-11-30`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** A point in time, with its offset. */
export const isInstant = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(text) &&
  !Number.isNaN(Date.parse(text));

/** What the service gets for a time of the line: a span goes back from now. */
export function toTime(text: string, now: number): string {
  const seconds = readDuration(text);
  return seconds === null ? text : new Date(now - seconds * 1000).toISOString();
}
