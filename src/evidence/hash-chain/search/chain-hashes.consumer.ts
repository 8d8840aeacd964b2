// Adds chain hashes to search segments; an index would cost 10 to 30 us a decision, and more later (row ingest/R1).
import { packPrefixes } from '../../../domain/search/hash-prefixes.ts';
import type { TransactionalConsumer } from '../../../ledger/follow/consumer.ts';
import type { Sealed } from '../../../ledger/entry.ts';
import type { Models } from '../../../models.ts';
import {
  createSegment,
  type HashSegment,
  findNewestHashSegment,
  computeNextSequence,
} from './hash-segments.ts';

/** Entries of a segment: each run of a quiet organisation rewrites the newest one, half of this on average. */
const ENTRIES_MAX = 512;

export function createChainHashesConsumer({
  hashSegments,
}: Pick<Models, 'hashSegments'>): TransactionalConsumer {
  return {
    name: 'chain-hashes',
    from: 'start',
    projection: { chainHash: 1 },
    async consume(entries, { session, organizationId }) {
      const newest = await findNewestHashSegment(hashSegments, organizationId, session);
      const operations = buildSegments(entries, newest).map(({ from, prefixes }) => ({
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

/** A segment with the hashes to be added. */
const openSegment = (segment: HashSegment) => ({
  segment,
  next: computeNextSequence(segment),
  hashes: [] as string[],
});

/** Segments to write for the entries, starting with `newest`. A gap in the sequences ends a segment. */
function buildSegments(entries: readonly Sealed[], newest: HashSegment) {
  let open = openSegment(newest);
  const written = new Set<typeof open>();
  for (const { sequence, chainHash } of entries) {
    if (open.next - open.segment.from >= ENTRIES_MAX || sequence !== open.next)
      open = openSegment(createSegment(sequence));
    open.hashes.push(chainHash);
    open.next += 1;
    written.add(open);
  }
  return [...written].map(({ segment, hashes }) => ({
    from: segment.from,
    prefixes: Buffer.concat([segment.prefixes, packPrefixes(hashes)]),
  }));
}
