// Reads sums from the entries that a simulated store shows, as the real store reads them.
import type { WindowSlot, Spent } from '../../../src/domain/budgets/spending.ts';

interface Entry {
  sequence: number;
  spent?: Spent[];
}

/** Null where the head is not shown. */
export function readSumsOf(
  entries: readonly Entry[],
  keys: readonly string[],
  head: number,
): ReadonlyMap<string, { slots: readonly WindowSlot[] }> | null {
  if (!entries.some(({ sequence }) => sequence === head)) return null;
  const sums = new Map<string, { slots: readonly WindowSlot[] }>();
  const shown = entries.filter(({ sequence }) => sequence <= head);
  for (const { spent } of shown.toSorted((one, other) => one.sequence - other.sequence))
    for (const { key, slots } of spent ?? []) if (keys.includes(key)) sums.set(key, { slots });
  return sums;
}
