// Reads how far a chain once reached: the heads that were noted outside it, and other witnesses of its entries.
import type { mongo, Types } from 'mongoose';
import type { Position } from '../../domain/record/chain.ts';
import { getHeadCollection } from '../heads/heads.ts';
import { type Chain, isSequence } from '../chains.ts';
import type { Range } from './report.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';

/** Evidence of how far a chain once reached. */
export interface Notes {
  /** Heads that the chain once had, ascending. */
  heads: readonly Position[];
  /** Noted heads that name no position. */
  malformed: number;
  /** The highest sequence known from elsewhere; 0: none is. */
  reached: number;
}

interface NotesQuery {
  organizationId: Types.ObjectId;
  reached: number;
  range?: Range;
}

const HASH = /^[0-9a-f]{64}$/;

/**
 * Reads the noted heads of a chain, ascending.
 * @param reached the highest sequence known from elsewhere
 * @param range only the heads in this range
 */
export async function readNotes(
  db: mongo.Db,
  chain: Chain,
  { organizationId, reached, range }: NotesQuery,
): Promise<Notes> {
  const sequence = range && { sequence: { $gte: range.first, $lt: range.before } };
  const rows = getHeadCollection(db, chain)
    .find(
      { organizationId, ...sequence },
      { ...MAJORITY, projection: { _id: 0, sequence: 1, chainHash: 1 } },
    )
    .sort({ sequence: 1 });
  const heads: Position[] = [];
  let malformed = 0;
  for await (const { sequence, chainHash } of rows) {
    if (isSequence(sequence) && isHash(chainHash)) heads.push({ sequence, chainHash });
    else malformed++;
  }
  return { heads, malformed, reached };
}

/** Returns the highest valid sequence among the values; 0: none is valid. */
export function findHighestSequence(numbers: readonly unknown[]): number {
  return Math.max(0, ...numbers.filter(isSequence));
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && HASH.test(value);
}
