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
import type { LeafReader } from '../signing/leaves.ts';
import { limitEntries } from '../../../domain/entry-limit.ts';

/** Full tiles never change: 1,000 of them are 8 MB. */
const CACHED_TILES = 1000;

interface Deps {
  leaves: LeafReader;
}

export function createLogTreeService({ models }: Pick<Platform, 'models'>, { leaves }: Deps) {
  const full = new LRUCache<string, Buffer[]>(limitEntries(CACHED_TILES));

  /** Reads the hashes of a tile; none where the log has no such tile. */
  async function readTile(log: LogDocument, place: TilePlace): Promise<Buffer[]> {
    const { level, index } = place;
    const fullTiles = countFullTiles(log.size, level);
    if (index > fullTiles) return [];
    if (index === fullTiles) return splitHashes(toCiphertext(log.levels[level]) ?? Buffer.alloc(0));
    const key = `${log._id} ${level} ${index}`;
    const known = full.get(key);
    if (known) return known;
    const found = await models.logTiles
      .findOne({ organizationId: log.organizationId, logId: log._id, level, index }, 'hashes')
      .lean<Pick<LogTileDocument, 'hashes'>>();
    const hashes = splitHashes(toCiphertext(found?.hashes) ?? Buffer.alloc(0));
    if (hashes.length === TILE_WIDTH) full.set(key, hashes);
    return hashes;
  }

  async function readSubtree(log: LogDocument, subtree: Subtree): Promise<Buffer> {
    const { tile, first, end } = findSubtreeTile(subtree);
    const hashes = (await readTile(log, tile)).slice(first, end);
    if (hashes.length !== end - first)
      throw new AppError('HASH_CHAIN_BROKEN', `The log lacks tile ${tile.level}/${tile.index}`);
    return computeRoot(hashes);
  }

  async function hashRanges(log: LogDocument, ranges: readonly LeafRange[]): Promise<Buffer[]> {
    const hashes: Buffer[] = [];
    for (const range of ranges) {
      const roots: Buffer[] = [];
      for (const subtree of splitRange(range)) roots.push(await readSubtree(log, subtree));
      hashes.push(joinSubtrees(roots));
    }
    return hashes;
  }

  return {
    /**
     * Proves that a leaf is in the tree of a size; the log MUST have that size or a larger one.
     * @throws AppError `HASH_CHAIN_BROKEN` when the store lacks a tile
     */
    buildInclusionProof(
      log: LogDocument,
      { index, size }: { index: number; size: number },
    ): Promise<Buffer[]> {
      return hashRanges(log, listInclusionRanges(index, size));
    },

    /** Proves that the tree of a size begins with that of a smaller one. */
    buildConsistencyProof(
      log: LogDocument,
      { from, size }: { from: number; size: number },
    ): Promise<Buffer[]> {
      return hashRanges(log, listConsistencyRanges(from, size));
    },

    /** Reads tiles from the store again: those that were read prove nothing. */
    forgetTiles(): void {
      full.clear();
    },

    /** Reads the hash of one leaf. */
    readLeafHash(log: LogDocument, index: number): Promise<Buffer> {
      return readSubtree(log, { level: 0, index });
    },

    /** Reads a tile or entry bundle as it is served; null: the log has no such one. */
    async readBytes(log: LogDocument, request: TileRequest): Promise<Buffer | null> {
      const { level, index, width } = request;
      if (level === null) return readEntries(log, request);
      const hashes = (await readTile(log, { level, index })).slice(0, width);
      return hashes.length === width ? Buffer.concat(hashes) : null;
    },
  };

  /** Reads the signed leaves of an entry bundle. */
  async function readEntries(
    log: LogDocument,
    { index, width }: TileRequest,
  ): Promise<Buffer | null> {
    const from = index * TILE_WIDTH;
    if (!(from + width <= log.size)) return null;
    const organizationId = log.organizationId.toHexString();
    const query = { organizationId, chain: log.chain, from, limit: width };
    const found = await leaves.readLeaves(query);
    return found.length === width ? formatEntryBundle(found.map(({ data }) => data)) : null;
  }
}
export type LogTreeService = ReturnType<typeof createLogTreeService>;
