// How far patterns of held decisions have matured, and what their approval by the service would save (cpi.md).
import type { components } from '../../api/schema.gen.d.ts';

export type Pattern = components['schemas']['ApprovedPattern'];

/** What a workspace asks of a pattern before the service approves it. */
export interface Bar {
  approvals: number;
  days: number;
}

/** The least that a workspace may ask, and the most. */
export const APPROVALS = { min: 20, max: 1000 } as const;
export const DAYS = { min: 7, max: 365 } as const;
/** One decision in this many goes to a person all the same. */
export const SAMPLED = 10;
const FRESH_DAYS = 30;
const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;

export type Stage = 'automatic' | 'ripe' | 'maturing' | 'objected' | 'stale';

const countDays = (from: string, to: number): number => (to - new Date(from).getTime()) / DAY_MS;

export function findStage(pattern: Pattern, { approvals, days }: Bar, now: number): Stage {
  if (pattern.isAutoApproved) return 'automatic';
  if (pattern.since === null) return 'objected';
  if (countDays(pattern.lastVerdictAt, now) > FRESH_DAYS) return 'stale';
  const isRipe = pattern.approvals >= approvals && countDays(pattern.since, now) >= days;
  return isRipe ? 'ripe' : 'maturing';
}

/** The part of the way to the bar, in percent: the slower of approvals and days. */
export function measureProgress(pattern: Pattern, { approvals, days }: Bar, now: number): number {
  if (pattern.since === null) return 0;
  const parts = [pattern.approvals / approvals, countDays(pattern.since, now) / days];
  return Math.round(100 * Math.min(1, ...parts));
}

/** Approvals by people a week, since the first of the row; a row of less than a week counts as a week. */
export function measureWeekly({ approvals, since }: Pattern, now: number): number {
  if (since === null) return 0;
  return (WEEK_DAYS * approvals) / Math.max(WEEK_DAYS, countDays(since, now));
}

export interface Savings {
  ripe: number;
  /** Reviews a week that people would not have to do. */
  saved: number;
  /** Reviews a week of the same patterns that people would still be asked for. */
  asked: number;
}

export function estimateSavings(patterns: readonly Pattern[], bar: Bar, now: number): Savings {
  const ripe = patterns.filter((pattern) => findStage(pattern, bar, now) === 'ripe');
  const weekly = ripe.reduce((sum, pattern) => sum + measureWeekly(pattern, now), 0);
  const asked = weekly / SAMPLED;
  return { ripe: ripe.length, saved: weekly - asked, asked };
}
