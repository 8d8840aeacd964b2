// Reads segments of chain hashes, for the consumer that writes them and for the search.
import type { mongo } from 'mongoose';
import { countPrefixes } from '../../../domain/search/hash-prefixes.ts';
import { toCiphertext } from '../../../ledger/contents/contents.ts';
import type { Models } from '../../../models.ts';
import type { HashSegmentDocument } from './hash-segments.model.ts';

/** A segment as the database answers it. */
export type StoredHashes = Pick<HashSegmentDocument, 'from' | 'prefixes'>;

export interface HashSegment {
  from: number;
  prefixes: Uint8Array;
}

const NOTHING = new Uint8Array();

export function toHashSegment({ from, prefixes }: StoredHashes): HashSegment {
  return { from, prefixes: toCiphertext(prefixes) ?? NOTHING };
}

/** An empty segment that starts at this sequence. */
export function createSegment(from: number): HashSegment {
  return { from, prefixes: NOTHING };
}

/** The segment that takes the next entry; if there is none, an empty one that starts at sequence 1. */
export async function findNewestHashSegment(
  hashSegments: Models['hashSegments'],
  organizationId: string,
  session: mongo.ClientSession | null = null,
): Promise<HashSegment> {
  const query = hashSegments.findOne({ organizationId }).sort({ from: -1 }).session(session);
  const newest = await query.lean<StoredHashes>();
  return newest ? toHashSegment(newest) : createSegment(1);
}

/** The sequence that follows the last entry of a segment. */
export function computeNextSequence({ from, prefixes }: HashSegment): number {
  return from + countPrefixes(prefixes);
}
