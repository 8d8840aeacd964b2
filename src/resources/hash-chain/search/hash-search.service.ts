// Finds entries by the beginning of their chain hash: in the segments, and in what no segment holds yet.
import { placesOf, prefixesIn } from '../../../domain/search/hash-prefixes.ts';
import { bytesOf } from '../../../ledger/contents/contents.ts';
import type { LedgerEntryDocument } from '../../../ledger/ledger.model.ts';
import type { Models } from '../../../models.ts';
import { READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import type { HashSegmentDocument } from './hash-segments.model.ts';

export interface HashQuery {
  /** Lowercase hex digits. */
  beginning: string;
  /** Entries below this sequence. */
  before: number;
  limit: number;
  /** Members that are read. */
  members: string;
}

type Segment = Pick<HashSegmentDocument, 'from' | 'prefixes'>;

/** Segments that are read at a time: some 400 KB. */
const SEGMENTS = 200;

export function createHashSearch({
  hashSegments,
  ledger,
}: Pick<Models, 'hashSegments' | 'ledger'>) {
  /** The last sequence that a segment holds; 0: there is none. */
  async function coveredTo(organizationId: string): Promise<number> {
    const newest = await hashSegments
      .findOne({ organizationId })
      .sort({ from: -1 })
      .lean<Segment>();
    return newest ? newest.from + prefixesIn(bytesOf(newest.prefixes) ?? new Uint8Array()) - 1 : 0;
  }

  /** Entries of these sequences whose hash begins so, the newest first. */
  function entriesAt(
    organizationId: string,
    sequence: object,
    { beginning, limit, members }: HashQuery,
  ): Promise<LedgerEntryDocument[]> {
    const chainHash = { $gte: beginning, $lt: `${beginning}g` };
    return ledger
      .find({ organizationId, sequence, chainHash }, members)
      .hint('chain')
      .sort({ sequence: -1 })
      .limit(limit)
      .maxTimeMS(READ_MAX_MS)
      .lean<LedgerEntryDocument[]>();
  }

  /** Sequences below one of entries whose hash may begin so, the newest first: those of a segment at a time. */
  async function* candidates(
    organizationId: string,
    { beginning, before }: Pick<HashQuery, 'beginning' | 'before'>,
  ): AsyncGenerator<number[]> {
    const segments = hashSegments
      .find({ organizationId, from: { $lt: before } })
      .sort({ from: -1 })
      .maxTimeMS(READ_MAX_MS)
      .lean<Segment[]>()
      .cursor({ batchSize: SEGMENTS });
    for await (const { from, prefixes } of segments) {
      const places = placesOf(bytesOf(prefixes) ?? new Uint8Array(), beginning);
      if (places.length === 0) continue;
      yield places.map((place) => from + place).filter((sequence) => sequence < before);
    }
  }

  return {
    /** The newest first. @throws MongoServerError after `READ_MAX_MS` */
    async find(organizationId: string, query: HashQuery): Promise<LedgerEntryDocument[]> {
      const { before, beginning, limit } = query;
      const covered = await coveredTo(organizationId);
      const found = await entriesAt(organizationId, { $gt: covered, $lt: before }, query);
      const below = { beginning, before: Math.min(before, covered + 1) };
      let sequences: number[] = [];
      for await (const more of candidates(organizationId, below)) {
        sequences.push(...more);
        if (found.length + sequences.length < limit) continue;
        found.push(...(await entriesAt(organizationId, { $in: sequences }, query)));
        if (found.length >= limit) return found.slice(0, limit);
        sequences = [];
      }
      return [...found, ...(await entriesAt(organizationId, { $in: sequences }, query))];
    },
  };
}
