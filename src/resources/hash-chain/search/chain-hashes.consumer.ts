// Follows the ledger for the search by hash: the newest segment takes entries until it is full (bench row ingest/R1: an index of hashes takes the database 10 to 30 us a decision, and more as it grows).
import { packedPrefixes, prefixesIn } from '../../../domain/search/hash-prefixes.ts';
import type { TransactionalConsumer } from '../../../ledger/follow/consumer.ts';
import { bytesOf } from '../../../ledger/contents/contents.ts';
import type { Sealed } from '../../../ledger/entry.ts';
import type { Models } from '../../../models.ts';
import type { HashSegmentDocument } from './hash-segments.model.ts';

/** Entries of a segment: each round of a quiet organisation writes its newest one anew, half of this on average. */
const ENTRIES_MAX = 512;
const NOTHING = Buffer.alloc(0);

type Segment = Pick<HashSegmentDocument, 'from' | 'prefixes'>;

export function chainHashesConsumer({
  hashSegments,
}: Pick<Models, 'hashSegments'>): TransactionalConsumer {
  return {
    name: 'chain-hashes',
    from: 'start',
    projection: { chainHash: 1 },
    async run(entries, { session, organizationId }) {
      const newest = await hashSegments
        .findOne({ organizationId })
        .sort({ from: -1 })
        .session(session)
        .lean<Segment>();
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

/** What is written for entries; `newest`: the segment that may take them. An entry that was skipped ends a segment. */
function segmentsOf(entries: readonly Sealed[], newest: Segment | null): Segment[] {
  const known = newest ? (bytesOf(newest.prefixes) ?? NOTHING) : NOTHING;
  const from = newest?.from ?? 1;
  const segments: Segment[] = [];
  let open = { from, before: known, hashes: [] as string[] };
  const close = (): void => {
    const prefixes = Buffer.concat([open.before, packedPrefixes(open.hashes)]);
    if (open.hashes.length > 0) segments.push({ from: open.from, prefixes });
  };
  for (const { sequence, chainHash } of entries) {
    const count = prefixesIn(open.before) + open.hashes.length;
    if (count >= ENTRIES_MAX || sequence !== open.from + count) {
      close();
      open = { from: sequence, before: NOTHING, hashes: [] };
    }
    open.hashes.push(chainHash);
  }
  close();
  return segments;
}
