// The tree of keys: after any destruction exactly the destroyed leaves cannot be derived; all others keep their keys.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type KeyNodes,
  toLeaf,
  LeafKeys,
  listPlaces,
  destroyLeaves,
} from '../../../src/domain/keys/key-tree.ts';

const DEPTH = 40;
const newTree = (): KeyNodes => new Map([['', randomBytes(32)]]);

function after(nodes: KeyNodes, leaves: readonly string[]): KeyNodes {
  const { removed, added } = destroyLeaves(nodes, leaves);
  const remaining = new Map([...nodes, ...added]);
  for (const place of removed) remaining.delete(place);
  return remaining;
}

const sequences = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 2 ** 31 }));
const places = fc.array(fc.tuple(sequences, fc.integer({ min: 0, max: 2 })), { maxLength: 12 });

it('loses exactly the destroyed leaves, in any number of steps', { tags: ['long'] }, () => {
  fc.assert(
    fc.property(fc.array(places, { maxLength: 5 }), places, (steps, others) => {
      const tree = newTree();
      const whole = new LeafKeys(tree);
      const leavesOf = (of: [number, number][]) => of.map(([at, age]) => toLeaf(at, age));
      let remaining = tree;
      for (const step of steps) remaining = after(remaining, leavesOf(step));
      const destroyed = new Set(steps.flatMap(leavesOf));
      const keys = new LeafKeys(remaining);
      const neighbours = steps.flat().map(([at, age]) => [at + 1, age] as [number, number]);
      for (const leaf of [...destroyed, ...leavesOf([...others, ...neighbours])])
        expect(keys.deriveKey(leaf)).toEqual(destroyed.has(leaf) ? null : whole.deriveKey(leaf));
      for (const place of remaining.keys())
        expect(listPlaces(place).filter((above) => remaining.has(above))).toEqual([place]);
    }),
    { numRuns: 200 },
  );
});

it('keeps no key that derives a destroyed one, and keeps few nodes', () => {
  const tree = after(newTree(), [toLeaf(7)]);
  expect(tree.size).toBe(DEPTH);
  expect(listPlaces(toLeaf(7)).some((place) => tree.has(place))).toBe(false);
  const neighbours = Array.from({ length: 1024 }, (_, at) => toLeaf(at));
  expect(after(newTree(), neighbours).size).toBe(DEPTH - 10);
});

it('gives the same result in one step, in many, and when repeated', () => {
  const tree = newTree();
  const leaves = [3, 9, 4_294_967_295, 8, 3].map((sequence) => toLeaf(sequence));
  const stepwise = leaves.reduce((nodes, leaf) => after(nodes, [leaf]), tree);
  const places = (nodes: KeyNodes) => [...nodes].sort();
  expect(places(after(tree, leaves))).toEqual(places(stepwise));
  expect(destroyLeaves(stepwise, leaves)).toEqual({ removed: [], added: new Map() });
});

it('gives every leaf of every generation a key of its own', () => {
  const keys = new LeafKeys(newTree());
  const leaves = [0, 1, 2, 4_294_967_295].flatMap((at) => [toLeaf(at), toLeaf(at, 1)]);
  const found = leaves.map((leaf) => keys.deriveKey(leaf)?.toString('hex'));
  expect(new Set(found).size).toBe(leaves.length);
  expect(found).not.toContain(undefined);
});

it.each([
  [-1, 0],
  [2 ** 32, 0],
  [NaN, 0],
  [1, 256],
  [1, 0.5],
])('has no leaf for entry %d of generation %d', (sequence, generation) => {
  expect(() => toLeaf(sequence, generation)).toThrow(RangeError);
});
