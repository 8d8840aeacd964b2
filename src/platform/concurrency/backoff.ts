// Back-off: how long to wait before an attempt after failures, and reads that are repeated until they succeed.
import { sleep, type Timer } from './timer.ts';

const RETRY_MAX_MS = 250;

/** Computes the milliseconds before an attempt: none before the first, then 1, 2, 4 ... 250. */
export function computeBackoff(attempt: number): number {
  return attempt === 0 ? 0 : Math.min(RETRY_MAX_MS, 2 ** (attempt - 1));
}

/** Retries a read until it succeeds: the caller MUST NOT build on an unknown state. It never rejects. */
export async function retryRead<T>(timer: Timer, read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch {
      await sleep(timer, computeBackoff(attempt));
    }
  }
}

export interface BackoffDeps {
  timer: Timer;
  /** A number from 0 to 1, so that instances do not retry in step. */
  drawFraction: () => number;
}

interface Pause {
  failures: number;
  /** A time of `timer.elapsed`: a clock that is set back makes no pause longer. */
  notBefore: number;
}

const FIRST_MS = 200;
/** Upper bound on the wait after an obstacle has ended. */
const LONGEST_MS = 2_000;

/**
 * Pauses after failures, by key.
 * - A pause lasts from 100 ms to two seconds and doubles with each failure in a row.
 * - MUST NOT hold anything for a key that was cleared.
 */
export class BackoffByKey {
  readonly #deps: BackoffDeps;
  readonly #pauses = new Map<string, Pause>();

  constructor(deps: BackoffDeps) {
    this.#deps = deps;
  }

  /** Begins a pause after a failure; returns its milliseconds. */
  begin(key: string): number {
    const failures = this.countFailures(key) + 1;
    const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
    const ms = (longest * (1 + this.#deps.drawFraction())) / 2;
    this.#pauses.set(key, { failures, notBefore: this.#deps.timer.elapsed() + ms });
    return ms;
  }

  /** Returns the number of failures in a row. */
  countFailures(key: string): number {
    return this.#pauses.get(key)?.failures ?? 0;
  }

  /** Returns the remaining milliseconds of a pause; 0: there is none. */
  getRemainingMs(key: string): number {
    const notBefore = this.#pauses.get(key)?.notBefore ?? 0;
    return Math.max(0, notBefore - this.#deps.timer.elapsed());
  }

  /** Clears the state after a success: the next failure counts as the first. */
  clear(key: string): void {
    this.#pauses.delete(key);
  }
}
