// A bounded queue in which lines take turns: a long line waits for itself, and gives way when the queue is full.

export class FairQueue<T> {
  readonly #max: number;
  /** In the order of their turns; none is empty. */
  readonly #lines = new Map<string, T[]>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** Whom there is no room for: the last of the longest line, which may be the one that comes; null: there is room for all. */
  push(line: string, item: T): T | null {
    const own = this.#lines.get(line);
    if (own) own.push(item);
    else this.#lines.set(line, [item]);
    this.#size += 1;
    return this.#size > this.#max ? this.#giveWay(line) : null;
  }

  /** The first of the line whose turn it is. */
  shift(): T | undefined {
    const [next] = this.#lines;
    if (!next) return undefined;
    const [line, items] = next;
    this.#lines.delete(line);
    const first = items.shift();
    if (items.length > 0) this.#lines.set(line, items);
    this.#size -= 1;
    return first;
  }

  /** Of lines as long as its own, the newcomer's gives way. */
  #giveWay(newcomer: string): T | null {
    let longest = newcomer;
    let most = this.#lines.get(newcomer)?.length ?? 0;
    for (const [line, { length }] of this.#lines)
      if (length > most) [longest, most] = [line, length];
    const items = this.#lines.get(longest) ?? [];
    const last = items.pop() ?? null;
    if (items.length === 0) this.#lines.delete(longest);
    this.#size -= 1;
    return last;
  }
}
