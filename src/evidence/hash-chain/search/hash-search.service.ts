// Finds entries by a prefix of their chain hash: in the segments, and among entries that no segment holds yet.
import { countPrefixes, findPrefixPositions } from '../../../domain/search/hash-prefixes.ts';
import type { LedgerEntryDocument } from '../../../ledger/ledger.model.ts';
import { perInstance } from '../../../platform/per-instance.ts';
import type { Platform } from '../../../platform/platform.ts';
import { READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import { createHashIndex, toPrefixes } from './hash-segments.ts';

export interface HashQuery {
  /** Lowercase hex digits. */
  beginning: string;
  /** Entries below this sequence. */
  before: number;
  limit: number;
  /** Projection of the entries. */
  members: string;
}

const openHashIndex = perInstance(({ models }) => createHashIndex(models));

/** The newest first. @throws MongoServerError, AppError `VALIDATION_ERROR` after `READ_MAX_MS` */
export async function searchHashes(
  platform: Platform,
  organizationId: string,
  query: HashQuery,
): Promise<LedgerEntryDocument[]> {
  const { before, beginning, limit } = query;
  const newest = await openHashIndex(platform).find(organizationId);
  const uncovered = newest ? newest.from + countPrefixes(toPrefixes(newest.prefixes)) : 1;
  const beyond = { $gte: uncovered, $lt: before };
  const found = await readEntries(platform, organizationId, beyond, query);
  const below = { beginning, before: Math.min(before, uncovered) };
  const candidates = findCandidates(platform, organizationId, below);
  for await (const sequences of collectBatches(candidates, limit)) {
    if (found.length >= limit) break;
    found.push(...(await readEntries(platform, organizationId, { $in: sequences }, query)));
  }
  return found.slice(0, limit);
}

/** Entries of these sequences whose hash has the prefix, newest first. */
function readEntries(
  { models }: Platform,
  organizationId: string,
  sequence: object,
  { beginning, limit, members }: HashQuery,
): Promise<LedgerEntryDocument[]> {
  const chainHash = { $gte: beginning, $lt: `${beginning}g` };
  return models.ledger
    .find({ organizationId, sequence, chainHash }, members)
    .hint('chain')
    .sort({ sequence: -1 })
    .limit(limit)
    .maxTimeMS(READ_MAX_MS)
    .lean<LedgerEntryDocument[]>();
}

/** Sequences below `before` whose hash may have the prefix, newest first, one segment at a time. */
async function* findCandidates(
  platform: Platform,
  organizationId: string,
  { beginning, before }: Pick<HashQuery, 'beginning' | 'before'>,
): AsyncGenerator<number[]> {
  const index = openHashIndex(platform);
  const segments = index.readNewest({ organizationId }, { $lt: before });
  for await (const { from, prefixes } of segments) {
    const places = findPrefixPositions(toPrefixes(prefixes), beginning);
    if (places.length === 0) continue;
    yield places.map((place) => from + place).filter((sequence) => sequence < before);
  }
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
