// When a worker that has died is replaced: after a pause that grows, until it has died too often.

const WITHIN_MS = 60_000;
const DEATHS_MAX = 10;
const FIRST_PAUSE_MS = 100;
const PAUSE_MAX_MS = 5000;

/** What is remembered of one worker's deaths. */
export class Restarts {
  #deaths: number[] = [];

  /** Milliseconds until it is replaced; null: it died too often within a minute. */
  died(now: number): number | null {
    this.#deaths = [...this.#deaths.filter((at) => now - at < WITHIN_MS), now];
    const count = this.#deaths.length;
    return count < DEATHS_MAX ? Math.min(PAUSE_MAX_MS, FIRST_PAUSE_MS * 2 ** (count - 1)) : null;
  }
}
