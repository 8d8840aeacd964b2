// A mutex per key: work for one key runs in order of arrival, and keys do not wait for each other.

export class KeyedMutex {
  /** One promise per key that settles with its newest work; removed when no work is left. */
  readonly #newest = new Map<string, Promise<void>>();

  /** Starts the work when all earlier work of the key has ended; settles as the work does. */
  runExclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
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
