// Coalesces calls: work that is asked for while it runs runs once more, however often it was asked for.

/**
 * - MUST NOT run the work twice at a time.
 * - A call MUST be followed by a run that begins after it, unless a run before fails.
 */
export class Coalescer {
  readonly #work: () => Promise<void>;
  #isDue = false;
  #running: Promise<void> | null = null;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Settles when no further run is due; rejects as the run that fails. */
  run(): Promise<void> {
    this.#isDue = true;
    return (this.#running ??= this.#runWhileDue());
  }

  async #runWhileDue(): Promise<void> {
    try {
      while (this.#isDue) {
        this.#isDue = false;
        await this.#work();
      }
    } finally {
      this.#running = null;
    }
  }
}
