// Reads the meter of a chain at any moment: its entries carry the running count of their month, and are in order of time.
import { monthKey } from './months.ts';

/** What an entry of the chain tells the meter. */
export interface Reading {
  sequence: number;
  createdAt: Date;
  /** Decisions of the month `YYYY-MM` up to the entry. */
  usage: { month: string; count: number };
}

/** Entries by sequence; those that are missing are left out. */
export type ReadEntries = (sequences: readonly number[]) => Promise<readonly Reading[]>;

interface Search {
  instant: Date;
  /** The newest entry that is known to be earlier; null: none yet. */
  found: Reading | null;
  /** The first sequence that is known not to be earlier. */
  high: number;
}

/**
 * For each moment, the newest entry before it. All are looked for together, by halves: as many reads as the chain's length has
 * binary digits, however many moments there are.
 */
export async function lastBefore(
  instants: readonly Date[],
  newest: Reading,
  read: ReadEntries,
): Promise<(Reading | null)[]> {
  const searches = instants.map((instant) => begin(instant, newest));
  for (let open = searches.filter(isOpen); open.length > 0; open = open.filter(isOpen)) {
    const entries = await read([...new Set(open.map(middleOf))]);
    const bySequence = new Map(entries.map((entry) => [entry.sequence, entry]));
    for (const search of open) narrow(search, bySequence);
  }
  return searches.map(({ found }) => found);
}

/** The count of a month, as its last entry before some moment has it. */
export function countIn(month: Date, reading: Reading | null | undefined): number {
  return reading?.usage.month === monthKey(month) ? reading.usage.count : 0;
}

function begin(instant: Date, newest: Reading): Search {
  const found = newest.createdAt < instant ? newest : null;
  return { instant, found, high: found ? newest.sequence + 1 : newest.sequence };
}

const lowOf = ({ found }: Search): number => found?.sequence ?? 0;
const isOpen = (search: Search): boolean => search.high - lowOf(search) > 1;
const middleOf = (search: Search): number => Math.floor((lowOf(search) + search.high) / 2);

/** A missing entry counts as later: verification tells of the gap. */
function narrow(search: Search, entries: ReadonlyMap<number, Reading>): void {
  const middle = middleOf(search);
  const entry = entries.get(middle);
  if (entry && entry.createdAt < search.instant) search.found = entry;
  else search.high = middle;
}
