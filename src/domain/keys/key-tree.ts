// A tree of keys whose leaves can be destroyed singly: the remaining nodes derive the others (ledger.md, keys).
import { hash } from 'node:crypto';

/** The path from the root to a node, a `0` or `1` for each level; the root is the empty text. */
export type KeyPlace = string;

/** The remaining nodes by their place. No node lies below another. */
export type KeyNodes = ReadonlyMap<KeyPlace, Buffer>;

/** The nodes that the destruction of leaves removes and adds. */
export interface Puncture {
  removed: KeyPlace[];
  added: Map<KeyPlace, Buffer>;
}

const KEY_BYTES = 32;
const GENERATION_BITS = 8;
const SEQUENCE_BITS = 32;
const DEPTH = GENERATION_BITS + SEQUENCE_BITS;
export const GENERATIONS = 2 ** GENERATION_BITS;
const SEQUENCES = 2 ** SEQUENCE_BITS;

/** The byte hashed after a node's key: 0 or 1 derives a child, this one the key of a leaf. */
const LEAF = 2;

/**
 * The leaf of an entry. A chain restored from a backup reaches sequences whose keys have been destroyed since; it
 * continues there in another generation.
 * @throws RangeError beyond 4,294,967,295 entries or 256 generations
 */
export function toLeaf(sequence: number, generation = 0): KeyPlace {
  if (!isBelow(SEQUENCES, sequence) || !isBelow(GENERATIONS, generation))
    throw new RangeError(`no key for entry ${sequence} in generation ${generation}`);
  return (generation * SEQUENCES + sequence).toString(2).padStart(DEPTH, '0');
}

function isBelow(limit: number, value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < limit;
}

/** All places from the root to the place itself. */
export function listPlaces(place: KeyPlace): KeyPlace[] {
  return Array.from({ length: place.length + 1 }, (_, length) => place.slice(0, length));
}

/** Derives the keys of leaves. Neighbours share most of the path, so the second takes about three hashes. */
export class LeafKeys {
  readonly #nodes: KeyNodes;
  /** The last derived leaf, and the known keys on the path to it, one character per byte. */
  #last: KeyPlace = '';
  #path: (string | undefined)[] = [];

  constructor(nodes: KeyNodes) {
    this.#nodes = nodes;
  }

  /** Whether a node above the leaf is known. */
  hasKey(leaf: KeyPlace): boolean {
    return this.#known(leaf) !== null;
  }

  /** The key of a leaf; null: it was destroyed, or no node above it is known. */
  deriveKey(leaf: KeyPlace): Buffer | null {
    const start = this.#known(leaf);
    if (start === null) return null;
    for (let level = start; level < leaf.length; level++)
      this.#path[level + 1] = deriveKeyText(this.#path[level] as string, chooseChild(leaf, level));
    this.#last = leaf;
    return Buffer.from(deriveKeyText(this.#path[leaf.length] as string, LEAF), BYTES);
  }

  /** The lowest level above the leaf whose key is known; the key is on the path afterwards. */
  #known(leaf: KeyPlace): number | null {
    const shared = countSharedLevels(this.#last, leaf);
    if (this.#path[shared]) return shared;
    const node = listPlaces(leaf).find((place) => this.#nodes.has(place));
    if (node === undefined) return null;
    this.#last = node;
    this.#path = [];
    this.#path[node.length] = this.#nodes.get(node)?.toString(BYTES);
    return node.length;
  }
}

/** Replaces the node above each leaf by the siblings along the path. Leaves without a node are destroyed already. */
export function destroyLeaves(nodes: KeyNodes, leaves: readonly KeyPlace[]): Puncture {
  const remaining = new Map(nodes);
  for (const leaf of leaves) {
    const above = listPlaces(leaf).find((place) => remaining.has(place));
    if (above === undefined) continue;
    let key = (remaining.get(above) as Buffer).toString(BYTES);
    remaining.delete(above);
    for (let level = above.length; level < leaf.length; level++) {
      const towards = chooseChild(leaf, level);
      const away = 1 - towards;
      remaining.set(leaf.slice(0, level) + away, Buffer.from(deriveKeyText(key, away), BYTES));
      key = deriveKeyText(key, towards);
    }
  }
  return {
    removed: [...nodes.keys()].filter((place) => !remaining.has(place)),
    added: new Map([...remaining].filter(([place]) => !nodes.has(place))),
  };
}

/** The child, 0 or 1, that leads from this level to the leaf. */
function chooseChild(leaf: KeyPlace, level: number): number {
  return leaf[level] === '0' ? 0 : 1;
}

/** Keys are texts of 32 characters: separate buffers would take three times as long (row ingest/R1). */
const BYTES = 'binary';
const input = Buffer.allocUnsafeSlow(KEY_BYTES + 1);

/** SHA-256 of a key and a byte. */
function deriveKeyText(key: string, of: number): string {
  input.write(key, BYTES);
  input[KEY_BYTES] = of;
  return hash('sha256', input, BYTES);
}

function countSharedLevels(a: KeyPlace, b: KeyPlace): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
