// Pauses before retries: exponential back-off with jitter, so that instances do not retry in step.

export interface PausesDeps {
  /** A number from 0 to 1. */
  drawFraction: () => number;
}

interface Pause {
  failures: number;
  /** A time of `performance.now`: a clock that is set back makes no pause longer. */
  notBefore: number;
}

const FIRST_MS = 200;
/** Upper bound on the wait after an obstacle has ended. */
const LONGEST_MS = 2_000;

/** Back-off state by key. Pauses last from 100 ms to two seconds. */
export class Pauses {
  readonly #deps: PausesDeps;
  readonly #pauses = new Map<string, Pause>();

  constructor(deps: PausesDeps) {
    this.#deps = deps;
  }

  /** Begins a pause after a failure; returns its milliseconds. */
  begin(key: string): number {
    const failures = this.countFailures(key) + 1;
    const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
    const ms = (longest * (1 + this.#deps.drawFraction())) / 2;
    this.#pauses.set(key, { failures, notBefore: performance.now() + ms });
    return ms;
  }

  /** Returns the number of consecutive failures. */
  countFailures(key: string): number {
    return this.#pauses.get(key)?.failures ?? 0;
  }

  /** Returns the remaining milliseconds of a pause; 0: there is none. */
  getRemainingMs(key: string): number {
    const notBefore = this.#pauses.get(key)?.notBefore ?? 0;
    return Math.max(0, notBefore - performance.now());
  }

  /** Clears the state after a success: the next failure counts as the first. */
  clear(key: string): void {
    this.#pauses.delete(key);
  }
}
