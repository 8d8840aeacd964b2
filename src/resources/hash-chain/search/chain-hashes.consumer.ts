// Follows the ledger for the search by hash: the newest segment takes entries until it is full (bench row ingest/R1: an index of hashes takes the database 10 to 30 us a decision, and more as it grows).
import { packedPrefixes } from '../../../domain/search/hash-prefixes.ts';
import type { TransactionalConsumer } from '../../../ledger/follow/consumer.ts';
import type { Sealed } from '../../../ledger/entry.ts';
import type { Models } from '../../../models.ts';
import { emptySegment, type HashSegment, newestHashSegment, nextAfter } from './hash-segments.ts';

/** Entries of a segment: each round of a quiet organisation writes its newest one anew, half of this on average. */
const ENTRIES_MAX = 512;

export function chainHashesConsumer({
  hashSegments,
}: Pick<Models, 'hashSegments'>): TransactionalConsumer {
  return {
    name: 'chain-hashes',
    from: 'start',
    projection: { chainHash: 1 },
    async run(entries, { session, organizationId }) {
      const newest = await newestHashSegment(hashSegments, organizationId, session);
      const operations = segmentsOf(entries, newest).map(({ from, prefixes }) => ({
        updateOne: {
          filter: { organizationId, from },
          update: { $set: { prefixes } },
          upsert: true,
        },
      }));
      if (operations.length > 0) await hashSegments.bulkWrite(operations as never[], { session });
    },
  };
}

/** A segment, and the hashes that come to it. */
const opened = (segment: HashSegment) => ({
  segment,
  next: nextAfter(segment),
  hashes: [] as string[],
});

/** What is written for entries; `newest`: the segment that may take them. An entry that was skipped ends a segment. */
function segmentsOf(entries: readonly Sealed[], newest: HashSegment) {
  let open = opened(newest);
  const written = new Set<typeof open>();
  for (const { sequence, chainHash } of entries) {
    if (open.next - open.segment.from >= ENTRIES_MAX || sequence !== open.next)
      open = opened(emptySegment(sequence));
    open.hashes.push(chainHash);
    open.next += 1;
    written.add(open);
  }
  return [...written].map(({ segment, hashes }) => ({
    from: segment.from,
    prefixes: Buffer.concat([segment.prefixes, packedPrefixes(hashes)]),
  }));
}
