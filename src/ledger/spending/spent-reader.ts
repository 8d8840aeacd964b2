// Reads what is spent of limits from the newest entries that say so.
import type { mongo, Types } from 'mongoose';
import type { WindowSlot, Spent } from '../../domain/budgets/spending.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import type { Stored } from '../entry.ts';

/** The index of entries with sums. */
export const SPENT_INDEX = {
  key: { organizationId: 1, 'spent.key': 1, sequence: -1 },
  name: 'spent',
  partialFilterExpression: { 'spent.key': { $exists: true } },
} as const;

/** Sums that one command reads. */
const KEYS_AT_ONCE = 32;

interface Place {
  organizationId: Types.ObjectId;
  /** The sequence of an entry. */
  head: number;
}

/**
 * Reads sums as of an entry, which MUST be the newest; null while a majority does not show that entry. It is read first,
 * in the same command: after an election a majority may show less than it did.
 */
export async function readSpent(
  collection: mongo.Collection<Stored>,
  place: Place,
  keys: readonly string[],
): Promise<ReadonlyMap<string, readonly WindowSlot[]> | null> {
  const slots = new Map<string, readonly WindowSlot[]>();
  for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
    const some = keys.slice(from, from + KEYS_AT_ONCE);
    const rows = await readRows(collection, place, some);
    if (!rows.some(({ sequence }) => sequence === place.head)) return null;
    for (const { key, spent } of rows)
      if (key !== undefined) slots.set(key, spent?.find((one) => one.key === key)?.slots ?? []);
  }
  return slots;
}

interface Row {
  sequence: number;
  key?: string;
  spent?: Spent[];
}

function readRows(
  collection: mongo.Collection<Stored>,
  { organizationId, head }: Place,
  keys: readonly string[],
): Promise<Row[]> {
  const newest = (key: string): mongo.Document[] => [
    { $match: { organizationId, 'spent.key': key, sequence: { $lte: head } } },
    { $sort: { sequence: -1 } },
    { $limit: 1 },
    { $project: { _id: 0, sequence: 1, spent: 1, key: { $literal: key } } },
  ];
  const pipeline = [
    { $match: { organizationId, sequence: head } },
    { $project: { _id: 0, sequence: 1 } },
    ...keys.map((key) => ({
      $unionWith: { coll: collection.collectionName, pipeline: newest(key) },
    })),
  ];
  return collection.aggregate<Row>(pipeline, MAJORITY).toArray();
}
