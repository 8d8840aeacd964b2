// Pauses before another attempt at the same thing: longer after each failure in a row, and of uneven length, so that instances do not stay in step.

export interface PausesDeps {
  /** A number from 0 to 1. */
  chance: () => number;
}

interface Pause {
  failures: number;
  /** By `performance.now`: a clock that is set back makes no pause longer. */
  notBefore: number;
}

const FIRST_MS = 200;
/** After what stood in the way has ended, nobody waits longer. */
const LONGEST_MS = 2_000;

export class Pauses {
  readonly #deps: PausesDeps;
  readonly #pauses = new Map<string, Pause>();

  constructor(deps: PausesDeps) {
    this.#deps = deps;
  }

  /** After one more failure: begins a pause, and returns its milliseconds. */
  begin(key: string): number {
    const failures = this.failures(key) + 1;
    const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
    const ms = (longest * (1 + this.#deps.chance())) / 2;
    this.#pauses.set(key, { failures, notBefore: performance.now() + ms });
    return ms;
  }

  /** In a row. */
  failures(key: string): number {
    return this.#pauses.get(key)?.failures ?? 0;
  }

  /** Milliseconds that are left of a pause; 0: none. */
  left(key: string): number {
    const notBefore = this.#pauses.get(key)?.notBefore ?? 0;
    return Math.max(0, notBefore - performance.now());
  }

  /** After a success: the next failure is the first one again. */
  end(key: string): void {
    this.#pauses.delete(key);
  }
}
