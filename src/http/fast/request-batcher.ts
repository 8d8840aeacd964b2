// Handles requests in batches: warm processor caches cut the time of a decision by a third (ingest/R1).

/** Batch size: one batch of decisions takes about 20 ms; later requests wait for the next turn of the event loop. */
const SIZE = 64;

/** Handles the items of one turn of the event loop together in the next turn, in order of arrival. */
export class RequestBatcher<T> {
  readonly #handle: (one: T) => void;
  readonly #waiting: T[] = [];
  #isDue = false;

  /** `handle` does not throw. */
  constructor(handle: (one: T) => void) {
    this.#handle = handle;
  }

  enqueue(one: T): void {
    this.#waiting.push(one);
    this.#release();
  }

  #release(): void {
    if (this.#isDue || this.#waiting.length === 0) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      for (const one of this.#waiting.splice(0, SIZE)) this.#handle(one);
      this.#release();
    });
  }
}
