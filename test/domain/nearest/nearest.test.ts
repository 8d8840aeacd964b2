// The nearest of many vectors, compared with a plain exact search.
// @module-tag varied
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DotProducts } from '../../../src/domain/nearest/dot-products.ts';
import { Nearest } from '../../../src/domain/nearest/nearest.ts';
import { BLOCK_ROWS, VectorBlock } from '../../../src/domain/nearest/vector-block.ts';
import { chooseRuns } from '../../setup/runs.ts';

const DIMENSIONS = 18;
const vector = fc
  .array(fc.integer({ min: -127, max: 127 }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
  .filter((values) => values.some((value) => value !== 0))
  .map((values) => Int8Array.from(values));

const dot = (a: Int8Array, b: Int8Array): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
const cosine = (a: Int8Array, b: Int8Array): number => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
const products = new DotProducts(DIMENSIONS, BLOCK_ROWS);

const row = fc.record({ id: fc.nat(20), part: fc.nat(1), group: fc.nat(1), vector });
type Row = Readonly<{ id: number; part: number; group: number; vector: Int8Array }>;

function blockOf(rows: readonly Row[]): VectorBlock {
  const block = new VectorBlock(products.width);
  for (const { vector: one, ...owner } of rows) block.addVector(owner, one);
  return block;
}

/** The best of each owner, by a search that compares everything. */
function exactly(rows: readonly Row[], query: Int8Array): Map<number, number> {
  const best = new Map<number, number>();
  for (const { id, vector: one } of rows)
    best.set(id, Math.max(best.get(id) ?? -1, cosine(query, one)));
  return best;
}

test('the best owners, each by its best vector, in order, of the group and not removed', () => {
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 60 }),
      vector,
      fc.option(fc.nat(1)),
      fc.nat(20),
      (rows, query, group, removed) => {
        const block = blockOf(rows);
        block.remove(removed);
        const nearest = new Nearest(5, 0);
        block.compare(query, { products, group, nearest });
        const left = rows.filter(
          (one) => one.id !== removed && (group === null || one.group === group),
        );
        const best = exactly(left, query);
        const expected = [...best.values()]
          .filter((score) => score > 1e-6)
          .sort((a, b) => b - a)
          .slice(0, 5);
        const found = nearest.listNearest().filter(({ score }) => score > 1e-6);
        // Digits that are cut would differ where a score lies between two.
        expect(found).toHaveLength(expected.length);
        for (const [at, { score }] of found.entries())
          expect(score).toBeCloseTo(expected[at] ?? NaN, 5);
        for (const { id, part, score } of found) {
          expect(score).toBeCloseTo(best.get(id) ?? 0, 5);
          const own = left.filter((one) => one.id === id && one.part === part);
          expect(exactly(own, query).get(id)).toBeCloseTo(score, 5);
        }
        expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
      },
    ),
    { numRuns: chooseRuns(300, 2_000) },
  );
});

test.each([1, 15, 16, 17, 100, 256, 1024])('vectors of %i numbers', (dimensions) => {
  const wide = new DotProducts(dimensions, BLOCK_ROWS);
  expect(wide.width % 8).toBe(0);
  const extreme = new Int8Array(dimensions).fill(-127);
  const block = new VectorBlock(wide.width);
  const last = BLOCK_ROWS - 1;
  for (let id = 0; id < BLOCK_ROWS; id++) {
    expect(block.isFull).toBe(false);
    const one = Int8Array.from(extreme, (value) => (id === last ? value : -value));
    block.addVector({ id, part: 0, group: 0 }, one);
  }
  expect(block.isFull).toBe(true);
  const nearest = new Nearest(3, 0);
  block.compare(extreme, { products: wide, group: null, nearest });
  expect(nearest.listNearest()).toEqual([
    { id: last, part: 0, score: expect.closeTo(1, 6) as number },
  ]);
});

test('a query leaves nothing behind for the next one', () => {
  const long = new DotProducts(32, 4);
  const all = new Int8Array(64).fill(1);
  expect([...long.computeProducts(new Int8Array(32).fill(2), all)]).toEqual([64, 64]);
  expect([...long.computeProducts(Int8Array.of(3), all)]).toEqual([3, 3]);
  expect([...long.computeProducts(Int8Array.of(3), new Int8Array(0))]).toEqual([]);
});
