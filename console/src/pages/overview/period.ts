// The period that the overview is of, and how figures differ from those of the one before.

export const PERIODS = ['24h', '7d', '30d', '90d', 'custom'] as const;
export type Period = (typeof PERIODS)[number];

export interface PeriodSearch {
  period?: Period | undefined;
  /** Days of UTC, both included, of a custom period. */
  from?: string | undefined;
  to?: string | undefined;
}

const HOUR_MS = 3_600_000;
const HOURS = { '24h': 24, '7d': 168, '30d': 720, '90d': 2160 } as const;
/** Days of the longest period. */
const DAYS_MAX = 366;

const DAY = /^\d{4}-\d\d-\d\d$/;
export const readDay = (value: unknown): string | undefined =>
  typeof value === 'string' && DAY.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;

const toDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The days of a custom period; absent ones are the last thirty days. */
export function findDays({ from, to }: PeriodSearch, now: number): { from: string; to: string } {
  const last = to ?? toDay(now);
  return { from: from ?? toDay(Date.parse(last) - 29 * 24 * HOUR_MS), to: last };
}

/** Why a custom period cannot be shown; null: it can. */
export function findPeriodProblem(search: PeriodSearch, now: number): string | null {
  if (search.period !== 'custom') return null;
  const { from, to } = findDays(search, now);
  const days = (Date.parse(to) - Date.parse(from)) / (24 * HOUR_MS) + 1;
  if (days < 1) return 'The last day is before the first.';
  return days > DAYS_MAX ? `A period has at most ${DAYS_MAX} days.` : null;
}

/** What the service is asked for. Whole hours or days count, so a period begins with a whole one. */
export function toSpanQuery(
  search: PeriodSearch,
  now: number,
): { dateFrom: string; dateTo?: string } {
  const { period = '7d' } = search;
  if (period === 'custom') {
    const { from, to } = findDays(search, now);
    return { dateFrom: from, dateTo: to };
  }
  const isByHours = period === '24h' || period === '7d';
  const first = now - (HOURS[period] - (isByHours ? 1 : 24)) * HOUR_MS;
  return { dateFrom: new Date(first).toISOString() };
}

export const describePeriod = (period: Period): string =>
  ({ '24h': '24 hours', '7d': '7 days', '30d': '30 days', '90d': '90 days', custom: 'same time' })[
    period
  ];

/** How much more or less it is, as `+12 %`. */
export function formatChange(count: number, before: number): string {
  if (before === 0) return count === 0 ? 'as before' : 'new';
  const percent = Math.round((100 * (count - before)) / before);
  if (percent === 0) return 'as before';
  return `${formatSigned(percent)} %`;
}

/** The difference of two shares in points. */
export function formatPoints(share: number | null, before: number | null): string {
  if (share === null || before === null) return '—';
  const points = Math.round(1000 * (share - before)) / 10;
  return points === 0 ? 'as before' : `${formatSigned(points)} points`;
}

const formatSigned = (value: number): string =>
  `${value > 0 ? '+' : '−'}${Math.abs(value).toLocaleString('en')}`;

export const computeShare = (part: number, whole: number): number | null =>
  whole === 0 ? null : part / whole;

export const formatShare = (share: number | null): string =>
  share === null ? '—' : `${(100 * share).toFixed(1)} %`;

/** The newest hour of a span that is this hour of the week, in UTC; Monday is 1. */
export function findNewestHour(
  span: { from: string; to: string },
  { weekday, hour }: { weekday: number; hour: number },
): { from: string; to: string } {
  let at = Math.ceil(Date.parse(span.to) / HOUR_MS) * HOUR_MS - HOUR_MS;
  for (; at >= Date.parse(span.from); at -= HOUR_MS) {
    const time = new Date(at);
    if ((time.getUTCDay() || 7) === weekday && time.getUTCHours() === hour) break;
  }
  return { from: new Date(at).toISOString(), to: new Date(at + HOUR_MS - 1).toISOString() };
}
