// Tiles of a log (c2sp.org/tlog-tiles): 256 hashes of one level each, their paths, and the tree that grows by them.
import { computeRoot, HASH_BYTES, joinSubtrees, splitRange, type Subtree } from './merkle-tree.ts';

/** Hashes of a full tile. */
export const TILE_WIDTH = 256;
const TILE_HEIGHT = 8;

/** The place of a tile. Level 0 holds leaf hashes, each higher level the roots of the full tiles below it. */
export interface TilePlace {
  level: number;
  index: number;
}

/** A full tile: 8,192 bytes. */
export interface Tile extends TilePlace {
  hashes: Buffer;
}

/** A requested tile; `level` is null for an entry bundle. `width`: its hashes or entries, 256 in a full one. */
export interface TileRequest {
  level: number | null;
  index: number;
  width: number;
}

const HIGHEST_LEVEL = 63;
const NUMBER = /^(0|[1-9]\d*)$/;
const GROUP = /^\d{3}$/;

/** Formats the path of a tile below `tile/`, such as `0/x001/234.p/17`. */
export function formatTilePath({ level, index, width }: TileRequest): string {
  const groups = [String(index % 1000).padStart(3, '0')];
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000))
    groups.unshift(`x${String(rest % 1000).padStart(3, '0')}`);
  return `${level ?? 'entries'}/${groups.join('/')}${width === TILE_WIDTH ? '' : `.p/${width}`}`;
}

/** Parses the segments of a path below `tile/`; null: it names no tile, or is not written as the format says. */
export function parseTilePath([
  levelText = '',
  ...segments
]: readonly string[]): TileRequest | null {
  const level = levelText === 'entries' ? null : parseNumber(levelText);
  if (level !== null && !(level <= HIGHEST_LEVEL)) return null;
  const isPartial = segments.at(-2)?.endsWith('.p') === true;
  const width = isPartial ? parseNumber(segments.at(-1) ?? '') : TILE_WIDTH;
  if (!(width > 0) || (isPartial && width >= TILE_WIDTH)) return null;
  const index = parseIndex(isPartial ? removePartialMark(segments) : segments);
  if (index === null) return null;
  const tile = { level, index, width };
  return formatTilePath(tile) === [levelText, ...segments].join('/') ? tile : null;
}

/** NaN: no number. */
function parseNumber(text: string): number {
  return NUMBER.test(text) ? Number(text) : Number.NaN;
}

function removePartialMark(segments: readonly string[]): string[] {
  return [...segments.slice(0, -2), (segments.at(-2) ?? '').slice(0, -'.p'.length)];
}

function parseIndex(groups: readonly string[]): number | null {
  const digits = groups.map((group, at) => (at < groups.length - 1 ? group.slice(1) : group));
  if (digits.length === 0 || !digits.every((group) => GROUP.test(group))) return null;
  const index = Number(digits.join(''));
  return Number.isSafeInteger(index) ? index : null;
}

/** Formats an entry bundle: each entry after its length in two bytes. */
export function formatEntryBundle(entries: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(entry.length);
      return [length, entry];
    }),
  );
}

/** Splits the bytes of a tile into its hashes. */
export function splitHashes(bytes: Uint8Array): Buffer[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: Math.floor(all.length / HASH_BYTES) }, (_, at) =>
    all.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );
}

/** Returns the tile that a subtree is computed from, and which of its hashes. */
export function findSubtreeTile({ level, index }: Subtree): {
  tile: TilePlace;
  first: number;
  end: number;
} {
  const height = level % TILE_HEIGHT;
  const start = index * 2 ** height;
  const tile = {
    level: (level - height) / TILE_HEIGHT,
    index: Math.floor(start / TILE_WIDTH),
  };
  const first = start - tile.index * TILE_WIDTH;
  return { tile, first, end: first + 2 ** height };
}

/** Returns how many full tiles a tree of this size has at a level. */
export function countFullTiles(size: number, level: number): number {
  return Math.floor(size / TILE_WIDTH ** (level + 1));
}

/** A tree that grows leaf by leaf. It keeps the hashes of its partial tiles only: some kilobytes a level. */
export class TiledTree {
  #size: number;
  readonly #levels: Buffer[][];
  #fullTiles: Tile[] = [];

  /** @param levels the hashes of the partial tile of each level, as `listLevels` returned them */
  constructor(size = 0, levels: readonly Uint8Array[] = []) {
    this.#size = size;
    this.#levels = levels.map(splitHashes);
  }

  get size(): number {
    return this.#size;
  }

  addLeaf(leafHash: Buffer): void {
    this.#size++;
    this.#push(0, leafHash);
  }

  /** Returns the tiles that became full since the last call. */
  takeFullTiles(): Tile[] {
    const taken = this.#fullTiles;
    this.#fullTiles = [];
    return taken;
  }

  listLevels(): Buffer[] {
    return this.#levels.map((hashes) => Buffer.concat(hashes));
  }

  computeRoot(): Buffer {
    const roots = this.#levels
      .toReversed()
      .flatMap((hashes) =>
        splitRange({ first: 0, end: hashes.length }).map((subtree) =>
          computeSubtreeRoot(hashes, subtree),
        ),
      );
    return roots.length === 0 ? computeRoot([]) : joinSubtrees(roots);
  }

  /** Whether the partial tiles are those that a tree of this size has. */
  hasValidLevels(): boolean {
    let rest = this.#size;
    for (const hashes of this.#levels) {
      if (hashes.length !== rest % TILE_WIDTH) return false;
      rest = Math.floor(rest / TILE_WIDTH);
    }
    return rest === 0;
  }

  #push(level: number, hash: Buffer): void {
    const hashes = (this.#levels[level] ??= []);
    hashes.push(hash);
    if (hashes.length < TILE_WIDTH) return;
    // The position of the tile that has just become full.
    const index = countFullTiles(this.#size, level) - 1;
    this.#fullTiles.push({ level, index, hashes: Buffer.concat(hashes) });
    this.#levels[level] = [];
    this.#push(level + 1, computeRoot(hashes));
  }
}

function computeSubtreeRoot(hashes: readonly Buffer[], { level, index }: Subtree): Buffer {
  const width = 2 ** level;
  return computeRoot(hashes.slice(index * width, (index + 1) * width));
}
