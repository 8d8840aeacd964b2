// The rolling window of the index: today and the 29 days before, in UTC.
import { toDayStart } from '../../domain/billing/months.ts';
import type { Window } from './cpi.schemas.ts';

const DAYS = 30;
const DAY_MS = 86_400_000;

export function computeWindow(now: Date): Window {
  const from = new Date(toDayStart(now).getTime() - (DAYS - 1) * DAY_MS);
  return { from, to: now, days: DAYS };
}
