// Numbers for the distinct things of a set: equal keys get the same number.

export interface Interner<T> {
  /** The number of this key; `make` is asked for the item when the key is new. */
  intern(key: string, make: () => T): number;
  keys(): string[];
  /** By number. */
  readonly items: readonly T[];
}

/** An empty interner. */
export function createInterner<T>(): Interner<T> {
  const numbers = new Map<string, number>();
  const items: T[] = [];
  return {
    items,
    keys: () => [...numbers.keys()],
    intern(key, make) {
      const known = numbers.get(key);
      if (known !== undefined) return known;
      numbers.set(key, items.length);
      return items.push(make()) - 1;
    },
  };
}
