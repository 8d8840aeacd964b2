// The index of chain hashes: an index of the database would cost 10 to 30 us a decision, and more later (row ingest/R1).
import { packPrefixes, unpackPrefixes } from '../../../domain/search/hash-prefixes.ts';
import { toCiphertext } from '../../../ledger/contents/contents.ts';
import { SegmentIndex } from '../../../ledger/follow/segment-index.ts';
import type { Sealed } from '../../../ledger/entry.ts';
import type { Models } from '../../../models.ts';
import type { HashSegmentDocument } from './hash-segments.model.ts';

/** Entries of a segment: each run of a quiet organisation rewrites the newest one, half of this on average. */
const ENTRIES_MAX = 512;

/** Creates the index of hashes, by entry. */
export function createHashIndex({
  hashSegments,
}: Pick<Models, 'hashSegments'>): SegmentIndex<
  HashSegmentDocument,
  Pick<Sealed, 'sequence' | 'chainHash'>
> {
  return new SegmentIndex(hashSegments, {
    weigh: () => 1,
    isFull: ({ to, weight }, next) => weight >= ENTRIES_MAX || next !== to + 1,
    pack: ({ items }) => ({
      prefixes: packPrefixes([...items.values()].map(({ chainHash }) => chainHash)),
    }),
    unpack: ({ from, prefixes }) =>
      unpackPrefixes(toPrefixes(prefixes)).map((chainHash, at) => ({
        sequence: from + at,
        chainHash,
      })),
  });
}

/** Converts the stored prefixes of a segment to their packed form. */
export function toPrefixes(stored: unknown): Uint8Array {
  return toCiphertext(stored) ?? new Uint8Array();
}
