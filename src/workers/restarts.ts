// Decides when a dead worker is replaced: after a growing pause, and not after too many deaths.

const WITHIN_MS = 60_000;
const DEATHS_MAX = 10;
const FIRST_PAUSE_MS = 100;
const PAUSE_MAX_MS = 5000;

/** The recent deaths of one worker. */
export class Restarts {
  #deaths: number[] = [];

  /** Records a death; returns the milliseconds until the replacement, or null after ten deaths within a minute. */
  recordDeath(now: number): number | null {
    this.#deaths = [...this.#deaths.filter((at) => now - at < WITHIN_MS), now];
    const count = this.#deaths.length;
    return count < DEATHS_MAX ? Math.min(PAUSE_MAX_MS, FIRST_PAUSE_MS * 2 ** (count - 1)) : null;
  }
}
