// Trees and proofs are those of RFC 6962, for every size up to 140; every changed hash is noticed.
// @module-tag varied
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  computeRoot,
  hashLeaf,
  isConsistent,
  isIncluded,
  joinSubtrees,
  type LeafRange,
  listConsistencyRanges,
  listInclusionRanges,
  splitRange,
} from '../src/merkle-tree.ts';
import { TiledTree, TILE_WIDTH } from '../src/tiles.ts';
import { chooseRuns } from '../../../test/setup/runs.ts';
import { hashTree, listPath, listProof } from '../../../test/domain/log/reference-tree.ts';

const SIZE = chooseRuns(70, 140);
const data = Array.from({ length: 70_000 }, (_, n) =>
  createHash('sha256').update(`leaf ${n}`).digest(),
);
const leaves = data.map(hashLeaf);

/** The hash of a range of a proof, by its complete subtrees, as tiles hold them. */
const hashRange = (range: LeafRange): Buffer =>
  joinSubtrees(
    splitRange(range).map(({ level, index }) =>
      computeRoot(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)),
    ),
  );
const inclusion = (index: number, size: number) => listInclusionRanges(index, size).map(hashRange);
const consistency = (older: number, size: number) =>
  listConsistencyRanges(older, size).map(hashRange);
const roots = Array.from({ length: SIZE + 1 }, (_, size) => hashTree(data.slice(0, size)));
const flip = (bytes: Buffer, at: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed[at % 32]! ^= 1 << (at % 8);
  return changed;
};

it('roots are those of RFC 6962, whole or leaf by leaf', () => {
  const tree = new TiledTree();
  for (let size = 0; size <= SIZE; size++) {
    expect(computeRoot(leaves.slice(0, size))).toEqual(roots[size]);
    expect(tree.computeRoot()).toEqual(roots[size]);
    tree.addLeaf(leaves[size]!);
  }
});

it('inclusion proofs are those of RFC 6962 and verify; each changed hash, index or size does not', () => {
  for (let size = 1; size <= SIZE; size++)
    for (let index = 0; index < size; index += 1 + Math.floor(size / 9)) {
      const path = inclusion(index, size);
      expect(path).toEqual(listPath(index, data.slice(0, size)));
      const head = { size, root: roots[size]! };
      const leaf = leaves[index]!;
      expect(isIncluded(leaf, { index, path }, head)).toBe(true);
      expect(isIncluded(flip(leaf, size), { index, path }, head)).toBe(false);
      expect(isIncluded(leaf, { index, path: [...path, leaf] }, head)).toBe(false);
      expect(isIncluded(leaf, { index: size, path }, head)).toBe(false);
      for (const at of path.keys())
        expect(isIncluded(leaf, { index, path: path.with(at, flip(path[at]!, at)) }, head)).toBe(
          false,
        );
    }
});

it('consistency proofs are those of RFC 6962 and verify; each changed hash or root does not', () => {
  for (let size = 1; size <= SIZE; size++)
    for (let older = 0; older <= size; older += 1 + Math.floor(size / 9)) {
      const path = consistency(older, size);
      expect(path).toEqual(listProof(older, data.slice(0, size)));
      const [before, after] = [
        { size: older, root: roots[older]! },
        { size, root: roots[size]! },
      ];
      expect(isConsistent(before, after, path)).toBe(true);
      expect(isConsistent(before, after, [...path, roots[1]!])).toBe(false);
      if (older > 0)
        expect(isConsistent({ size: older, root: flip(before.root, size) }, after, path)).toBe(
          false,
        );
      for (const at of path.keys())
        expect(isConsistent(before, after, path.with(at, flip(path[at]!, at)))).toBe(false);
    }
});

it('a tree of tiles is the same tree, wherever it is stored and opened again', () => {
  const tiles = new Map<string, Buffer>();
  let tree = new TiledTree();
  for (const [at, leaf] of leaves.entries()) {
    tree.addLeaf(leaf);
    for (const { level, index, hashes } of tree.takeFullTiles())
      tiles.set(`${level}/${index}`, hashes);
    if (at % 9973 !== 0) continue;
    tree = new TiledTree(tree.size, tree.listLevels());
    expect(tree.hasValidLevels()).toBe(true);
  }
  expect(tree.computeRoot()).toEqual(computeRoot(leaves));
  const full = Math.floor(leaves.length / TILE_WIDTH);
  expect(tiles.size).toBe(full + 1);
  const roots = Array.from({ length: full }, (_, n) =>
    computeRoot(leaves.slice(n * TILE_WIDTH, (n + 1) * TILE_WIDTH)),
  );
  expect(tiles.get('1/0')).toEqual(Buffer.concat(roots.slice(0, TILE_WIDTH)));
  expect(tiles.get('0/7')).toEqual(Buffer.concat(leaves.slice(7 * 256, 8 * 256)));
  expect(tree.listLevels()[1]).toEqual(Buffer.concat(roots.slice(TILE_WIDTH)));
  expect(new TiledTree(tree.size + 1, tree.listLevels()).hasValidLevels()).toBe(false);
});

it('ranges of large trees are split without rounding', () => {
  for (const size of [2 ** 53 - 1, 2 ** 48 + 1, 2 ** 49 - 1]) {
    const subtrees = splitRange({ first: 0, end: size });
    expect(subtrees.reduce((sum, { level }) => sum + 2 ** level, 0)).toBe(size);
    expect(subtrees.every(({ index }) => Number.isSafeInteger(index))).toBe(true);
    expect(listInclusionRanges(size - 1, size).length).toBeLessThan(54);
  }
});
