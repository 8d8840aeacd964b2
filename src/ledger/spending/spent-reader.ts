// Reads what is spent of limits from the newest entries that say so.
import type { mongo, Types } from 'mongoose';
import type { WindowSlot, Spent } from '../../domain/budgets/spending.ts';
import { readHeadSequences } from '../follow/head-sequences.ts';
import { toObjectId } from '../ledger.model.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import type { Stored } from '../entry.ts';

/** Sums that one command reads. */
const KEYS_AT_ONCE = 32;

interface Place {
  organizationId: Types.ObjectId;
  /** The sequence of an entry. */
  head: number;
}

/** A sum as the newest entry that changed it has it. */
export interface StoredSum {
  slots: readonly WindowSlot[];
  sequence: number;
  createdAt: Date;
  /** The decision that the entry is about. */
  traceId: string;
}

/**
 * Reads sums as of an entry, which a majority MUST show; null while it does not. The entry is read first, in the same
 * command: after an election a majority may show less than it did. A key without a sum is missing.
 */
export async function readSums(
  collection: mongo.Collection<Stored>,
  place: Place,
  keys: readonly string[],
): Promise<ReadonlyMap<string, StoredSum> | null> {
  const sums = new Map<string, StoredSum>();
  for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
    const rows = await readRows(collection, place, keys.slice(from, from + KEYS_AT_ONCE));
    if (!rows.some(({ sequence }) => sequence === place.head)) return null;
    for (const { key, spent, ...entry } of rows)
      if (key !== undefined)
        sums.set(key, { ...entry, slots: spent?.find((one) => one.key === key)?.slots ?? [] });
  }
  return sums;
}

interface Row extends Omit<StoredSum, 'slots'> {
  key?: string;
  spent?: Spent[];
}

function readRows(
  collection: mongo.Collection<Stored>,
  { organizationId, head }: Place,
  keys: readonly string[],
): Promise<Row[]> {
  const members = { _id: 0, sequence: 1, createdAt: 1, traceId: 1 } as const;
  const newest = (key: string): mongo.Document[] => [
    { $match: { organizationId, 'spent.key': key, sequence: { $lte: head } } },
    { $sort: { sequence: -1 } },
    { $limit: 1 },
    { $project: { ...members, spent: 1, key: { $literal: key } } },
  ];
  const pipeline = [
    { $match: { organizationId, sequence: head } },
    { $project: members },
    ...keys.map((key) => ({
      $unionWith: { coll: collection.collectionName, pipeline: newest(key) },
    })),
  ];
  return collection.aggregate<Row>(pipeline, MAJORITY).toArray();
}

/** Reads sums of one chain as they were. */
export interface SumReader {
  /** Finds the newest entry up to a time; 0: there is none. */
  findHead(organizationId: string, time: Date): Promise<number>;
  /** Reads sums as of an entry; a key that had none then is missing. */
  readAt(
    organizationId: string,
    head: number,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, StoredSum>>;
}

export function createSumReader(db: mongo.Db, chain: { collection: string }): SumReader {
  const collection = db.collection<Stored>(chain.collection);
  return {
    findHead: (organizationId, time) => findSequenceAt(collection, organizationId, time),
    async readAt(organizationId, head, keys) {
      const place = { organizationId: toObjectId(organizationId), head };
      return (await readSums(collection, place, keys)) ?? new Map();
    },
  };
}

/** Finds the newest entry up to a time, by bisection, since times rise with sequences; 0: there is none. */
async function findSequenceAt(
  collection: mongo.Collection<Stored>,
  id: string,
  time: Date,
): Promise<number> {
  const organizationId = toObjectId(id);
  const readAt = (sequence: number) =>
    collection.findOne({ organizationId, sequence }, { ...MAJORITY, projection: { createdAt: 1 } });
  const newest = await readHeadSequences(collection as unknown as mongo.Collection, [id]);
  let [first, last] = [0, newest.get(id) ?? 0];
  while (first < last) {
    const middle = Math.ceil((first + last) / 2);
    const entry = await readAt(middle);
    if (entry && entry.createdAt <= time) first = middle;
    else last = middle - 1;
  }
  return first;
}
