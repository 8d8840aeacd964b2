// Reads the meter of a chain at any moment: entries carry the running count of their month and are ordered by time.
import { toMonthKey } from './months.ts';

/** The fields of a chain entry that the meter reads. */
export interface Reading {
  sequence: number;
  createdAt: Date;
  /** Decisions of the month `YYYY-MM` up to the entry. */
  usage: { month: string; count: number };
}

/** Reads entries by sequence; missing ones are left out. */
export type ReadEntries = (sequences: readonly number[]) => Promise<readonly Reading[]>;

interface Search {
  instant: Date;
  /** The newest entry found before the instant; null: none yet. */
  found: Reading | null;
  /** The lowest sequence known not to be before the instant. */
  high: number;
}

/**
 * The newest entry before each instant, or null. One binary search serves all instants together, so the number of reads
 * is the logarithm of the chain's length.
 */
export async function findLastReadings(
  instants: readonly Date[],
  newest: Reading,
  read: ReadEntries,
): Promise<(Reading | null)[]> {
  const searches = instants.map((instant) => beginSearch(instant, newest));
  for (let open = searches.filter(isOpen); open.length > 0; open = open.filter(isOpen)) {
    const entries = await read([...new Set(open.map(getMiddle))]);
    const bySequence = new Map(entries.map((entry) => [entry.sequence, entry]));
    for (const search of open) narrowSearch(search, bySequence);
  }
  return searches.map(({ found }) => found);
}

/** The count of a month according to a reading; 0 when the reading belongs to another month. */
export function readMonthCount(month: Date, reading: Reading | null | undefined): number {
  return reading?.usage.month === toMonthKey(month) ? reading.usage.count : 0;
}

function beginSearch(instant: Date, newest: Reading): Search {
  const found = newest.createdAt < instant ? newest : null;
  return { instant, found, high: found ? newest.sequence + 1 : newest.sequence };
}

const getLowerBound = ({ found }: Search): number => found?.sequence ?? 0;
const isOpen = (search: Search): boolean => search.high - getLowerBound(search) > 1;
const getMiddle = (search: Search): number => Math.floor((getLowerBound(search) + search.high) / 2);

/** A missing entry counts as later; verification reports the gap. */
function narrowSearch(search: Search, entries: ReadonlyMap<number, Reading>): void {
  const middle = getMiddle(search);
  const entry = entries.get(middle);
  if (entry && entry.createdAt < search.instant) search.found = entry;
  else search.high = middle;
}
