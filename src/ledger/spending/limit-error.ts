// The refusal of an entry that would pass a limit.
import { toLimitNotice, type LimitNotice } from '../../domain/budgets/spending.ts';
import { AppError } from '../../errors.ts';
import type { PassedLimit } from '../entry.ts';

export const listNotices = (passed: readonly PassedLimit[]): LimitNotice[] =>
  passed.map(({ limit, slots }) => toLimitNotice(limit, slots));

/** Says how much is left of which limit, and when there is more. */
export function describeLimit({ of, per, window, most, left, freesAt }: LimitNotice): string {
  const time = window === 'ever' ? 'in all' : `in ${window}`;
  const more = freesAt === null ? '' : `; there is more from ${freesAt}`;
  const rest = left === null ? 'what this adds cannot be read' : `${left} is left`;
  return `The limit is ${most} (${of}) for each ${per} ${time}, and ${rest}${more}`;
}

/** 409 `LIMIT_REACHED`, with `data.limits`. */
export function createLimitError(passed: readonly PassedLimit[]): AppError {
  const limits = listNotices(passed);
  return new AppError('LIMIT_REACHED', limits.map(describeLimit).join('. '), { data: { limits } });
}

/** Whether a limit refused it. */
export const isLimitError = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'LIMIT_REACHED';
