// Reads the tree of a log from its tiles: proofs, tiles and entry bundles, at any size that was signed.
import { LRUCache } from 'lru-cache';
import {
  computeRoot,
  joinSubtrees,
  type LeafRange,
  listConsistencyRanges,
  listInclusionRanges,
  splitRange,
  type Subtree,
  countFullTiles,
  findSubtreeTile,
  formatEntryBundle,
  splitHashes,
  TILE_WIDTH,
  type TilePlace,
  type TileRequest,
} from '@assay/tlog';
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import { toCiphertext } from '../../../ledger/contents/contents.ts';
import type { LogDocument, LogTileDocument } from '../logs.model.ts';
import { readLeaves } from '../signing/leaves.ts';
import { limitEntries } from '../../../domain/entry-limit.ts';
import { perInstance } from '../../../platform/per-instance.ts';

/** Full tiles never change: 1,000 of them are 8 MB. */
const CACHED_TILES = 1000;

const openFullTiles = perInstance(() => new LRUCache<string, Buffer[]>(limitEntries(CACHED_TILES)));

/**
 * Proves that a leaf is in the tree of a size; the log MUST have that size or a larger one.
 * @throws AppError `HASH_CHAIN_BROKEN` when the store lacks a tile
 */
export function buildInclusionProof(
  platform: Platform,
  log: LogDocument,
  { index, size }: { index: number; size: number },
): Promise<Buffer[]> {
  return hashRanges(platform, log, listInclusionRanges(index, size));
}

/** Proves that the tree of a size begins with that of a smaller one. */
export function buildConsistencyProof(
  platform: Platform,
  log: LogDocument,
  { from, size }: { from: number; size: number },
): Promise<Buffer[]> {
  return hashRanges(platform, log, listConsistencyRanges(from, size));
}

/** Reads tiles from the store again: those that were read prove nothing. */
export function forgetTiles(platform: Platform): void {
  openFullTiles(platform).clear();
}

/** Reads the hash of one leaf. */
export function readLeafHash(platform: Platform, log: LogDocument, index: number): Promise<Buffer> {
  return readSubtree(platform, log, { level: 0, index });
}

/** Reads a tile or entry bundle as it is served; null: the log has no such one. */
export async function readTileBytes(
  platform: Platform,
  log: LogDocument,
  request: TileRequest,
): Promise<Buffer | null> {
  const { level, index, width } = request;
  if (level === null) return readEntries(platform, log, request);
  const hashes = (await readTile(platform, log, { level, index })).slice(0, width);
  return hashes.length === width ? Buffer.concat(hashes) : null;
}

/** Reads the hashes of a tile; none where the log has no such tile. */
async function readTile(platform: Platform, log: LogDocument, place: TilePlace): Promise<Buffer[]> {
  const { level, index } = place;
  const fullTiles = countFullTiles(log.size, level);
  if (index > fullTiles) return [];
  if (index === fullTiles) return splitHashes(toCiphertext(log.levels[level]) ?? Buffer.alloc(0));
  const key = `${log._id} ${level} ${index}`;
  const full = openFullTiles(platform);
  const known = full.get(key);
  if (known) return known;
  const found = await platform.models.logTiles
    .findOne({ organizationId: log.organizationId, logId: log._id, level, index }, 'hashes')
    .lean<Pick<LogTileDocument, 'hashes'>>();
  const hashes = splitHashes(toCiphertext(found?.hashes) ?? Buffer.alloc(0));
  if (hashes.length === TILE_WIDTH) full.set(key, hashes);
  return hashes;
}

async function readSubtree(
  platform: Platform,
  log: LogDocument,
  subtree: Subtree,
): Promise<Buffer> {
  const { tile, first, end } = findSubtreeTile(subtree);
  const hashes = (await readTile(platform, log, tile)).slice(first, end);
  if (hashes.length !== end - first)
    throw new AppError('HASH_CHAIN_BROKEN', `The log lacks tile ${tile.level}/${tile.index}`);
  return computeRoot(hashes);
}

async function hashRanges(
  platform: Platform,
  log: LogDocument,
  ranges: readonly LeafRange[],
): Promise<Buffer[]> {
  const hashes: Buffer[] = [];
  for (const range of ranges) {
    const roots: Buffer[] = [];
    for (const subtree of splitRange(range)) roots.push(await readSubtree(platform, log, subtree));
    hashes.push(joinSubtrees(roots));
  }
  return hashes;
}

/** Reads the signed leaves of an entry bundle. */
async function readEntries(
  platform: Platform,
  log: LogDocument,
  { index, width }: TileRequest,
): Promise<Buffer | null> {
  const from = index * TILE_WIDTH;
  if (!(from + width <= log.size)) return null;
  const organizationId = log.organizationId.toHexString();
  const query = { organizationId, chain: log.chain, from, limit: width };
  const found = await readLeaves(platform, query);
  return found.length === width ? formatEntryBundle(found.map(({ data }) => data)) : null;
}
