// Finds entries by a prefix of their chain hash: in the segments, and among entries that no segment holds yet.
import { findPrefixPositions } from '../../../domain/search/hash-prefixes.ts';
import type { LedgerEntryDocument } from '../../../ledger/ledger.model.ts';
import type { Models } from '../../../models.ts';
import { readCursor, READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import {
  toHashSegment,
  findNewestHashSegment,
  computeNextSequence,
  type StoredHashes,
} from './hash-segments.ts';

export interface HashQuery {
  /** Lowercase hex digits. */
  beginning: string;
  /** Entries below this sequence. */
  before: number;
  limit: number;
  /** Projection of the entries. */
  members: string;
}

/** Segments that are read at a time: some 400 KB. */
const SEGMENTS = 200;

export function createHashSearch({
  hashSegments,
  ledger,
}: Pick<Models, 'hashSegments' | 'ledger'>) {
  /** Entries of these sequences whose hash has the prefix, newest first. */
  function readEntries(
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

  /** Sequences below `before` whose hash may have the prefix, newest first, one segment at a time. */
  async function* findCandidates(
    organizationId: string,
    { beginning, before }: Pick<HashQuery, 'beginning' | 'before'>,
  ): AsyncGenerator<number[]> {
    const segments = hashSegments
      .find({ organizationId, from: { $lt: before } })
      .sort({ from: -1 })
      .maxTimeMS(READ_MAX_MS)
      .lean<StoredHashes[]>()
      .cursor({ batchSize: SEGMENTS });
    for await (const stored of readCursor(segments)) {
      const { from, prefixes } = toHashSegment(stored);
      const places = findPrefixPositions(prefixes, beginning);
      if (places.length === 0) continue;
      yield places.map((place) => from + place).filter((sequence) => sequence < before);
    }
  }

  return {
    /** The newest first. @throws MongoServerError after `READ_MAX_MS` */
    async searchHashes(organizationId: string, query: HashQuery): Promise<LedgerEntryDocument[]> {
      const { before, beginning, limit } = query;
      const uncovered = computeNextSequence(
        await findNewestHashSegment(hashSegments, organizationId),
      );
      const found = await readEntries(organizationId, { $gte: uncovered, $lt: before }, query);
      const below = { beginning, before: Math.min(before, uncovered) };
      for await (const sequences of collectBatches(findCandidates(organizationId, below), limit)) {
        if (found.length >= limit) break;
        found.push(...(await readEntries(organizationId, { $in: sequences }, query)));
      }
      return found.slice(0, limit);
    },
  };
}

/** Joins lists until each batch has at least `size` sequences, except the last. */
async function* collectBatches(
  some: AsyncIterable<number[]>,
  size: number,
): AsyncGenerator<number[]> {
  let lot: number[] = [];
  for await (const more of some) {
    lot.push(...more);
    if (lot.length < size) continue;
    yield lot;
    lot = [];
  }
  if (lot.length > 0) yield lot;
}
