// Batches work by key: items that arrive while a batch is under way form the next one.

interface Batch<T> {
  items: T[];
  done: Promise<void>;
}

/**
 * - At most one batch of a key is under way; keys do not wait for each other.
 * - MUST put items that arrive while a batch is under way into the next one, in order of arrival.
 * - MUST settle every caller as the batch with its items does; a failed batch MUST NOT keep the next one from beginning.
 */
export class BatchByKey<T> {
  readonly #work: (key: string, items: readonly T[]) => Promise<void>;
  readonly #waiting = new Map<string, Batch<T>>();
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(work: (key: string, items: readonly T[]) => Promise<void>) {
    this.#work = work;
  }

  /** Settles with the batch that contains these items. */
  async addItems(key: string, items: readonly T[]): Promise<void> {
    if (items.length === 0) return;
    const waiting = this.#waiting.get(key);
    const batch = waiting ?? { items: [], done: Promise.resolve() };
    batch.items.push(...items);
    if (!waiting) {
      this.#waiting.set(key, batch);
      batch.done = this.#begin(key, batch);
    }
    return batch.done;
  }

  async #begin(key: string, batch: Batch<T>): Promise<void> {
    await this.#underWay.get(key)?.catch(() => undefined);
    this.#waiting.delete(key);
    this.#underWay.set(key, batch.done);
    try {
      await this.#work(key, batch.items);
    } finally {
      if (this.#underWay.get(key) === batch.done) this.#underWay.delete(key);
    }
  }
}
