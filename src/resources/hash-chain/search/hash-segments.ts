// How segments of chain hashes are read, by who writes them and who searches them.
import type { mongo } from 'mongoose';
import { prefixesIn } from '../../../domain/search/hash-prefixes.ts';
import { bytesOf } from '../../../ledger/contents/contents.ts';
import type { Models } from '../../../models.ts';
import type { HashSegmentDocument } from './hash-segments.model.ts';

/** A segment as the database answers it. */
export type StoredHashes = Pick<HashSegmentDocument, 'from' | 'prefixes'>;

export interface HashSegment {
  from: number;
  prefixes: Uint8Array;
}

const NOTHING = new Uint8Array();

export function hashSegmentOf({ from, prefixes }: StoredHashes): HashSegment {
  return { from, prefixes: bytesOf(prefixes) ?? NOTHING };
}

/** One that will begin with this entry. */
export function emptySegment(from: number): HashSegment {
  return { from, prefixes: NOTHING };
}

/** The one that takes what is appended next; where there is none, an empty one that begins with the first entry. */
export async function newestHashSegment(
  hashSegments: Models['hashSegments'],
  organizationId: string,
  session: mongo.ClientSession | null = null,
): Promise<HashSegment> {
  const query = hashSegments.findOne({ organizationId }).sort({ from: -1 }).session(session);
  const newest = await query.lean<StoredHashes>();
  return newest ? hashSegmentOf(newest) : emptySegment(1);
}

/** The sequence that follows the last entry of a segment. */
export function nextAfter({ from, prefixes }: HashSegment): number {
  return from + prefixesIn(prefixes);
}
