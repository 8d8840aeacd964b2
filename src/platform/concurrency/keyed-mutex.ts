// Work of which one piece is done at a time for each key, in the order in which it came; the keys do not wait for each other.

export class KeyedMutex {
  /** Settle with the newest work of each key; none is kept without work. */
  readonly #newest = new Map<string, Promise<void>>();

  /** Resolves or rejects as the work does, which begins when all before it has ended. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const begun = (this.#newest.get(key) ?? Promise.resolve()).then(work);
    const ended = begun.then(
      () => undefined,
      () => undefined,
    );
    this.#newest.set(key, ended);
    void ended.then(() => {
      if (this.#newest.get(key) === ended) this.#newest.delete(key);
    });
    return begun;
  }
}
