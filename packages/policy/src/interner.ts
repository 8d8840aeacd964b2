// An interner gives distinct keys consecutive numbers, each with one item.

export interface Interner<T> {
  /** The number of this key; `create` makes the item of a new key. */
  intern(key: string, create: () => T): number;
  keys(): string[];
  /** The items, indexed by their number. */
  readonly items: readonly T[];
}

/** An empty interner. */
export function createInterner<T>(): Interner<T> {
  const numbers = new Map<string, number>();
  const items: T[] = [];
  return {
    items,
    keys: () => [...numbers.keys()],
    intern(key, create) {
      const known = numbers.get(key);
      if (known !== undefined) return known;
      numbers.set(key, items.length);
      return items.push(create()) - 1;
    },
  };
}
