// Work in parts: between two of them the event loop serves other requests.

export function othersTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Work that pauses where others may have their turn. */
export type Parts<T> = Generator<void, T, void>;

/** All parts in one go: for what is small. */
export function atOnce<T>(parts: Parts<T>): T {
  for (;;) {
    const { done, value } = parts.next();
    if (done) return value;
  }
}

/** Others have their turn after each part. */
export async function inTurns<T>(
  parts: Parts<T>,
  giveWay: () => Promise<void> = othersTurn,
): Promise<T> {
  for (;;) {
    const { done, value } = parts.next();
    await giveWay();
    if (done) return value;
  }
}

/** Does `work` for each item, `size` items in one part. */
export function* eachOf<T>(items: Iterable<T>, size: number, work: (item: T) => void): Parts<void> {
  let count = 0;
  for (const item of items) {
    work(item);
    count += 1;
    if (count % size === 0) yield;
  }
}

/** Lets others have their turn whenever so much was done. */
export class Stint {
  readonly #most: number;
  #done = 0;

  /** `most`: of whatever is counted. */
  constructor(most: number) {
    this.#most = most;
  }

  async after(amount: number): Promise<void> {
    this.#done += amount;
    if (this.#done < this.#most) return;
    this.#done = 0;
    await othersTurn();
  }
}

/** Bytes from which work is not done in one go: each pass over them takes milliseconds. */
const LARGE = 100_000;

/** Runs in turns when the input is large. */
export function atOnceUnlessLarge<T>(bytes: number, parts: Parts<T>): T | Promise<T> {
  return bytes < LARGE ? atOnce(parts) : inTurns(parts);
}
