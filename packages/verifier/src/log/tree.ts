// RFC 6962 hashes, and the check of an inclusion proof as RFC 9162, section 2.1.3.2, describes it; no server code.
import { hashBytes } from '../system/primitives.ts';

export function hashLeaf(data: Uint8Array): Buffer {
  return hashBytes(Buffer.of(0), data);
}

function hashNode(left: Uint8Array, right: Uint8Array): Buffer {
  return hashBytes(Buffer.of(1), left, right);
}

/** A proof for one leaf. */
export interface Path {
  index: number;
  /** Begin with the sibling of the leaf. */
  hashes: readonly Uint8Array[];
}

/** Returns whether the leaf hash is at that index in the tree of `size` with `root`. */
export function isIncluded(
  leaf: Uint8Array,
  { index, hashes }: Path,
  { size, root }: { size: number; root: Uint8Array },
): boolean {
  if (!(index >= 0 && index < size)) return false;
  let [fn, sn] = [BigInt(index), BigInt(size - 1)];
  let node = Buffer.from(leaf);
  for (const hash of hashes) {
    if (sn === 0n) return false;
    if (fn % 2n === 1n || fn === sn) {
      node = Buffer.from(hashNode(hash, node));
      while (fn % 2n === 0n && fn !== 0n) [fn, sn] = [fn / 2n, sn / 2n];
    } else node = Buffer.from(hashNode(node, hash));
    [fn, sn] = [fn / 2n, sn / 2n];
  }
  return sn === 0n && node.equals(root);
}

/** A tree that grows leaf by leaf; it keeps the roots of its full subtrees. */
export class GrowingTree {
  size = 0;
  /** The largest first: one for each binary one of the size. */
  private readonly roots: Buffer[] = [];

  addLeaf(leafHash: Buffer): void {
    let node = leafHash;
    for (let rest = this.size++; rest % 2 === 1; rest = (rest - 1) / 2)
      node = hashNode(this.roots.pop() as Buffer, node);
    this.roots.push(node);
  }

  computeRoot(): Buffer {
    const [last, ...others] = this.roots.toReversed();
    return others.reduce((right, left) => hashNode(left, right), last ?? hashBytes());
  }
}
