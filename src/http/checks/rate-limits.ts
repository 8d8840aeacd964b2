// Counts requests against rate limits, and shows the counts in the standard headers (document 1, section 8).
import type { Config } from '../../config/config.ts';
import { AppError, type Code } from '../../errors.ts';
import type { Shared } from '../../platform/shared/shared.ts';
import type { RateLimit } from '../declaration/rate-limits.ts';

/** Seconds of a window. */
const QUARTER_HOUR = 900;

/** The count of one limit for one request. */
export interface Count {
  limit: number;
  remaining: number;
  resetSeconds: number;
  windowSeconds: number;
  code: Code;
}

/** Counts requests of a key, one by default. */
export type RateLimits = (limit: RateLimit, key: string, hits?: number) => Promise<Count>;

export function createLimits(
  config: Pick<Config, Extract<RateLimit['max'], string>>,
  shared: Pick<Shared, 'count'>,
): RateLimits {
  return async (rule, key, hits = 1) => {
    const { name, by, max, per = QUARTER_HOUR, code = 'RATE_LIMIT_EXCEEDED' } = rule;
    const limit = typeof max === 'number' ? max : config[max];
    const window = { namespace: `${name} ${by}`, key, windowMs: per * 1000 };
    const counted = await shared.count({ ...window, limit, exact: !rule.isApproximate, hits });
    const resetSeconds = Math.max(0, Math.ceil(counted.resetMs / 1000));
    return { limit, remaining: limit - counted.hits, resetSeconds, windowSeconds: per, code };
  };
}

/** The counts of one request so far; its headers show the tightest. */
export class RateState {
  #tightest: Count | null = null;

  /** @throws AppError `RATE_LIMIT_EXCEEDED`, or the limit's own code, when the count is past it */
  applyCount(count: Count): void {
    const refusal = this.noteCount(count);
    if (refusal) throw refusal;
  }

  /** Returns what refuses the requests past the limit; null while none is. */
  noteCount(count: Count): AppError | null {
    const { limit, remaining, resetSeconds, windowSeconds, code } = count;
    if (this.#tightest === null || remaining < this.#tightest.remaining) this.#tightest = count;
    if (remaining >= 0) return null;
    return new AppError(code, `Too many requests: ${limit} per ${windowSeconds} seconds`, {
      data: { limit, windowSeconds },
      headers: { 'Retry-After': String(Math.max(1, resetSeconds)) },
    });
  }

  toHeaders(): Record<string, string> {
    if (this.#tightest === null) return {};
    const { limit, remaining, resetSeconds } = this.#tightest;
    return {
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': String(Math.max(0, remaining)),
      'RateLimit-Reset': String(resetSeconds),
    };
  }
}
