// A seeded source of chance, so that a failing simulation can be run again.

export interface Chance {
  /** A number from 0 to below 1. */
  next(): number;
  /** An integer between `from` and `to`, both included. */
  integer(from: number, to: number): number;
  /** True with this probability. */
  happens(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
}

/** mulberry32 */
export function seeded(seed: number): Chance {
  let state = Math.imul(seed, 2654435761) >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }
  const integer = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    integer,
    happens: (probability) => next() < probability,
    pick: (items) => items[integer(0, items.length - 1)] as (typeof items)[number],
  };
}
