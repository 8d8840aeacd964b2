// Compares two sides: pairs of blocks in ABBA order, and the ratios of their figures.
import type { Block } from './processes.ts';
import type { RowName } from './rows.ts';
import type { Stage } from './stage.ts';

export interface Plan {
  pairs: number;
  /** Length of the chain that is verified and exported. */
  entries: number;
}

export type Sides = Record<'a' | 'b', Block>;

/** A ratio of two sides. */
export type Ratio = (sides: Sides) => number;
export type Ratios = Partial<Record<RowName, Ratio>>;

export const compareThroughput: Ratio = ({ a, b }) => a.perSecond / b.perSecond;
export const p99: Ratio = ({ a, b }) => a.p99 / b.p99;

/** The figures of every pair by row, and both sides of the last pair. */
export interface Outcome {
  pairs: Partial<Record<RowName, number[]>>;
  sides?: Sides;
}

/** Rows that come from the same blocks. */
export interface Group {
  rows: readonly RowName[];
  measure(stage: Stage, plan: Plan): Promise<Outcome>;
}

/** Decisions after which a server's code is compiled and its young generation has its size. */
export const WARM = 10_000;

export async function warmUp(load: () => Promise<Block>, decisions = WARM): Promise<void> {
  for (let warm = 0; warm < decisions;) warm += (await load()).operations;
}

type Loads = Record<'a' | 'b', () => Promise<Block>>;

/** Measures all pairs of two warm sides, and their ratios. */
export async function measurePairs(ratios: Ratios, pairs: number, loads: Loads): Promise<Outcome> {
  const named = Object.entries(ratios) as [RowName, Ratio][];
  const outcome: Outcome = { pairs: Object.fromEntries(named.map(([name]) => [name, []])) };
  for (let pair = 0; pair < pairs; pair++) {
    const sides = await runAbba(pair, loads);
    for (const [name, ratio] of named) outcome.pairs[name]?.push(ratio(sides));
    outcome.sides = sides;
  }
  return outcome;
}

export async function runAbba(pair: number, { a, b }: Loads): Promise<Sides> {
  if (pair % 2 === 0) return { a: await a(), b: await b() };
  const second = await b();
  return { a: await a(), b: second };
}
