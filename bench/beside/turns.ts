// Two sides of one pair in short blocks that take turns: what else the machine does then meets both alike.
import { runAbba, type Sides } from '../pairs.ts';
import type { Block } from '../processes.ts';
import { computeMedian } from '../rows.ts';
import type { Scene, Stage } from '../stage.ts';
import type { Span } from '../wire.ts';

const TURNS = 6;

/** CPU of the instance and of the database for a decision. */
export const sumCpu = ({ cpuUs }: Block): number => (cpuUs.node ?? NaN) + (cpuUs.mongod ?? NaN);

/** The span of one block of a turn. */
export function toTurnSpan({ span }: Stage): Span {
  const seconds = span.seconds / 2;
  return { warmUp: seconds / 4, seconds };
}

/** Runs the blocks of one pair in turns. */
export async function runTurns(
  run: (scene: Scene) => Promise<Block>,
  scenes: Record<'on' | 'off', Scene>,
): Promise<Sides[]> {
  const turns: Sides[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    for (const scene of [scenes.on, scenes.off]) await scene.settle();
    turns.push(await runAbba(turn, { a: () => run(scenes.on), b: () => run(scenes.off) }));
  }
  return turns;
}

export const computeTurnMedian = (
  turns: readonly Sides[],
  compute: (sides: Sides) => number,
): number => computeMedian(turns.map(compute));
