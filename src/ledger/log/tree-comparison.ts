// Builds the tree of a log from its leaves, and compares it with all that is stored of it: tree heads, tiles, its end.
import type { mongo, Types } from 'mongoose';
import { hashLeaf, splitHashes, type Tile, TiledTree } from '@assay/tlog';
import { isSequence } from '../chains.ts';
import { toCiphertext } from '../contents/contents.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import type { Break } from '../verify/report.ts';

/** The stored state of a log. */
export interface LogRow {
  _id: string;
  organizationId: Types.ObjectId;
  origin: string;
  size: number;
  root: string;
  head: string;
  headId: Types.ObjectId | null;
  levels: mongo.Binary[];
}

/** A tree head whose signature is valid. */
export interface SignedTreeHead {
  size: number;
  root: Buffer;
}

/** `sequence`: as it is stored; what is no place of a chain is its first. */
export const createBreak = (sequence: unknown, what: string): Break => ({
  sequence: isSequence(sequence) ? sequence : 1,
  reason: 'chain-hash-mismatch',
  what,
});

/** The comparison of one log; leaves are added in order. */
export class TreeComparison {
  readonly #db: mongo.Db;
  readonly #log: LogRow;
  readonly #left: SignedTreeHead[];
  readonly #tree = new TiledTree();

  /** @param heads ascending by size */
  constructor(db: mongo.Db, log: LogRow, heads: readonly SignedTreeHead[]) {
    this.#db = db;
    this.#log = log;
    this.#left = [...heads];
  }

  get size(): number {
    return this.#tree.size;
  }

  /** Adds the next leaf; resolves with what is not as it was signed, null while all is. */
  async addLeaf(data: Buffer): Promise<Break | null> {
    this.#tree.addLeaf(hashLeaf(data));
    return (await this.#findTileBreak()) ?? this.#findTreeHeadBreak() ?? this.#findEndBreak(data);
  }

  #findTreeHeadBreak(): Break | null {
    const [head] = this.#left;
    if (head?.size !== this.#tree.size) return null;
    this.#left.shift();
    if (this.#tree.computeRoot().equals(head.root)) return null;
    return createBreak(head.size, 'the chain up to here is not the one whose tree was signed');
  }

  /** Compares what the next seal builds on. */
  #findEndBreak(data: Buffer): Break | null {
    const { size, head, levels } = this.#log;
    if (this.#tree.size !== size) return null;
    const stored = Buffer.concat(levels.map((level) => toCiphertext(level) ?? Buffer.alloc(0)));
    const isAsStored =
      head === data.toString('hex') && stored.equals(Buffer.concat(this.#tree.listLevels()));
    return isAsStored ? null : createBreak(size, 'the stored end of the log is another one');
  }

  async #findTileBreak(): Promise<Break | null> {
    const { _id: logId, organizationId } = this.#log;
    for (const tile of this.#tree.takeFullTiles()) {
      const { level, index } = tile;
      const place = { organizationId, logId, level, index };
      const stored = await this.#db.collection('log_tiles').findOne(place, MAJORITY);
      const hashes = toCiphertext(stored?.hashes) ?? Buffer.alloc(0);
      if (tile.hashes.equals(hashes)) continue;
      const kept = splitHashes(hashes);
      const at = splitHashes(tile.hashes).findIndex((hash, n) => !kept[n]?.equals(hash));
      return createBreak(toSequence(tile, Math.max(0, at)), 'a stored tile has another hash');
    }
    return null;
  }
}

/** The first entry below a hash of a tile. */
function toSequence({ level, index }: Tile, at: number): number {
  return (index * 256 + at) * 256 ** level + 1;
}
