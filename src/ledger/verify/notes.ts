// How far a chain is known to have reached: the heads that were noted outside it, and what else has seen its entries.
import type { mongo, Types } from 'mongoose';
import type { Position } from '../../domain/record/chain.ts';
import { notedHeads } from '../heads/heads.ts';
import { type Chain, isSequence } from '../chains.ts';
import type { Range } from './report.ts';
import { MAJORITY } from '../read-write-concerns.ts';

export interface Notes {
  /** Heads that the chain once had, ascending. */
  heads: readonly Position[];
  /** Noted heads that name no position. */
  malformed: number;
  /** The highest sequence that anything else has seen; 0: none has. */
  reached: number;
}

interface NotesQuery {
  organizationId: Types.ObjectId;
  reached: number;
  range?: Range;
}

const HASH = /^[0-9a-f]{64}$/;

/**
 * @param reached the highest sequence that something besides the noted heads has seen
 * @param range only the heads there
 */
export async function readNotes(
  db: mongo.Db,
  chain: Chain,
  { organizationId, reached, range }: NotesQuery,
): Promise<Notes> {
  const sequence = range && { sequence: { $gte: range.first, $lt: range.before } };
  const rows = notedHeads(db, chain)
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

/** The highest of some numbers that are sequences, 0 if none is. */
export function highestSequence(numbers: readonly unknown[]): number {
  return Math.max(0, ...numbers.filter(isSequence));
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && HASH.test(value);
}
