// Reads registers as of an entry: what the newest entries up to it say of sums and sessions.
import type { mongo, Types } from 'mongoose';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import type { Stored } from '../entry.ts';

/** Keys that one command reads. */
const KEYS_AT_ONCE = 32;

/** An entry of a chain. */
export interface Place {
  organizationId: Types.ObjectId;
  /** Its sequence. */
  head: number;
}

/** The newest entry with a key. */
export type RegisterRow = Pick<Stored, 'sequence' | 'createdAt' | 'traceId' | 'spent' | 'session'>;

/**
 * Reads registers as of an entry, which a majority MUST show; null while it does not. The entry is read first, in the
 * same command: after an election a majority may show less than it did. A key that no entry has is missing.
 */
export async function readRegisters(
  collection: mongo.Collection<Stored>,
  place: Place,
  { register, keys }: { register: 'spent' | 'session'; keys: readonly string[] },
): Promise<ReadonlyMap<string, RegisterRow> | null> {
  const found = new Map<string, RegisterRow>();
  for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
    const some = { register, keys: keys.slice(from, from + KEYS_AT_ONCE) };
    const rows = await readRows(collection, place, some);
    if (!rows.some(({ sequence }) => sequence === place.head)) return null;
    for (const { key, ...entry } of rows) if (key !== undefined) found.set(key, entry);
  }
  return found;
}

function readRows(
  collection: mongo.Collection<Stored>,
  { organizationId, head }: Place,
  { register, keys }: { register: string; keys: readonly string[] },
): Promise<(RegisterRow & { key?: string })[]> {
  const members = { _id: 0, sequence: 1, createdAt: 1, traceId: 1 } as const;
  const newest = (key: string): mongo.Document[] => [
    { $match: { organizationId, [`${register}.key`]: key, sequence: { $lte: head } } },
    { $sort: { sequence: -1 } },
    { $limit: 1 },
    { $project: { ...members, [register]: 1, key: { $literal: key } } },
  ];
  const pipeline = [
    { $match: { organizationId, sequence: head } },
    { $project: members },
    ...keys.map((key) => ({
      $unionWith: { coll: collection.collectionName, pipeline: newest(key) },
    })),
  ];
  return collection.aggregate<RegisterRow & { key?: string }>(pipeline, MAJORITY).toArray();
}
