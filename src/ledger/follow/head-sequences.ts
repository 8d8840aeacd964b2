// The newest sequence of every organisation in a chain, read from the index alone.
import type { mongo, Types } from 'mongoose';
import { MAJORITY } from '../read-write-concerns.ts';

/** By organisation, 24 hex digits. Reads one index key per organisation. */
export async function headSequences(collection: mongo.Collection): Promise<Map<string, number>> {
  const rows = collection.aggregate<{ _id: Types.ObjectId; sequence: number }>(
    [
      { $sort: { organizationId: -1, sequence: -1 } },
      { $group: { _id: '$organizationId', sequence: { $first: '$sequence' } } },
    ],
    { ...MAJORITY, hint: 'chain' },
  );
  const newest = new Map<string, number>();
  for await (const { _id, sequence } of rows) newest.set(_id.toHexString(), sequence);
  return newest;
}
