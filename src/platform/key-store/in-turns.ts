// Batches work by name: items that arrive while a batch is under way form the next one.

interface Batch<T> {
  items: T[];
  done: Promise<void>;
}

export class BatchedWork<T> {
  readonly #work: (name: string, items: readonly T[]) => Promise<void>;
  readonly #waiting = new Map<string, Batch<T>>();
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(work: (name: string, items: readonly T[]) => Promise<void>) {
    this.#work = work;
  }

  /** Settles with the batch that contains these items. */
  async addItems(name: string, items: readonly T[]): Promise<void> {
    if (items.length === 0) return;
    const known = this.#waiting.get(name);
    const turn = known ?? { items: [], done: Promise.resolve() };
    turn.items.push(...items);
    if (!known) {
      this.#waiting.set(name, turn);
      turn.done = this.#begin(name, turn);
    }
    return turn.done;
  }

  async #begin(name: string, turn: Batch<T>): Promise<void> {
    await this.#underWay.get(name)?.catch(() => undefined);
    this.#waiting.delete(name);
    this.#underWay.set(name, turn.done);
    try {
      await this.#work(name, turn.items);
    } finally {
      if (this.#underWay.get(name) === turn.done) this.#underWay.delete(name);
    }
  }
}
