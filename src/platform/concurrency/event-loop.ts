// Yields to the event loop within long work, so that other requests are served in between.

/** Resolves after other pending events, such as requests, were served. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Yields to the event loop whenever a given amount of work is done. */
export class PeriodicYield {
  readonly #interval: number;
  #done = 0;

  /** `interval`: the work between two yields, in any unit. */
  constructor(interval: number) {
    this.#interval = interval;
  }

  /** Call it after each piece of work. Resolves at once while less than `interval` is done. */
  async addWork(amount: number): Promise<void> {
    this.#done += amount;
    if (this.#done < this.#interval) return;
    this.#done = 0;
    await yieldToEventLoop();
  }
}
