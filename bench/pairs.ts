// How sides are compared: pairs of blocks in ABBA order, and what is read off them.
import type { Block } from './processes.ts';
import type { RowName } from './rows.ts';
import type { Stage } from './stage.ts';

export interface Plan {
  pairs: number;
  /** Length of the chain that is verified and exported. */
  entries: number;
}

export type Sides = Record<'a' | 'b', Block>;

/** The figures of every pair by row, and what the two sides did in the last one. */
export interface Outcome {
  pairs: Partial<Record<RowName, number[]>>;
  sides?: Sides;
}

/** Rows that are read off the same blocks. */
export interface Group {
  rows: readonly RowName[];
  measure(stage: Stage, plan: Plan): Promise<Outcome>;
}

/** Decisions after which the code of a server has come to its speed. */
export const WARM = 10_000;

export async function abba(
  pair: number,
  { a, b }: Record<'a' | 'b', () => Promise<Block>>,
): Promise<Sides> {
  if (pair % 2 === 0) return { a: await a(), b: await b() };
  const second = await b();
  return { a: await a(), b: second };
}
