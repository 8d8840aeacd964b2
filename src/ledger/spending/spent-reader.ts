// Reads what is spent of limits from the newest entries that say so.
import type { mongo } from 'mongoose';
import type { WindowSlot } from '../../domain/budgets/spending.ts';
import { readHeadSequences } from '../follow/head-sequences.ts';
import { toObjectId } from '../ledger.model.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import type { Stored } from '../entry.ts';
import { type Place, readRegisters, type RegisterRow } from '../registers/register-reader.ts';

/** A sum as the newest entry that changed it has it. */
export interface StoredSum {
  slots: readonly WindowSlot[];
  sequence: number;
  createdAt: Date;
  /** The decision that the entry is about. */
  traceId: string;
}

/** Reads sums as of an entry, as `readRegisters` does. A key without a sum is missing. */
export async function readSums(
  collection: mongo.Collection<Stored>,
  place: Place,
  keys: readonly string[],
): Promise<ReadonlyMap<string, StoredSum> | null> {
  const rows = await readRegisters(collection, place, { register: 'spent', keys });
  return rows && new Map([...rows].map(([key, row]) => [key, toSum(key, row)]));
}

const toSum = (key: string, { spent, sequence, createdAt, traceId }: RegisterRow): StoredSum => ({
  sequence,
  createdAt,
  traceId: traceId ?? '',
  slots: spent?.find((one) => one.key === key)?.slots ?? [],
});

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
