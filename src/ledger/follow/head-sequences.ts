// Reads the newest sequence of organisations in a chain from the index alone.
import type { mongo, Types } from 'mongoose';
import { SEQUENCES } from '../chains.ts';
import { toObjectId } from '../ledger.model.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';

/** Reads the newest sequence by organisation (24 hex digits); absent ids: all. Costs one index key per organisation. */
export async function readHeadSequences(
  collection: mongo.Collection,
  organizationIds?: readonly string[],
): Promise<Map<string, number>> {
  const organizationId = organizationIds && { $in: organizationIds.map(toObjectId) };
  const inChains = { $match: { ...(organizationId && { organizationId }), sequence: SEQUENCES } };
  const rows = collection.aggregate<{ _id: Types.ObjectId; sequence: number }>(
    [
      inChains,
      { $sort: { organizationId: -1, sequence: -1 } },
      { $group: { _id: '$organizationId', sequence: { $first: '$sequence' } } },
    ],
    { ...MAJORITY, hint: 'chain' },
  );
  const newest = new Map<string, number>();
  for await (const { _id, sequence } of rows) newest.set(_id.toHexString(), sequence);
  return newest;
}
