// Ingestion with the witnessed log and without it: what sealing and promising cost a decision, and add to its answer.
import { type Group, type Outcome, runAbba, type Sides, warmUp } from '../pairs.ts';
import type { Block } from '../processes.ts';
import { computeMedian } from '../rows.ts';
import type { Scene } from '../stage.ts';

const MANY = { connections: 64 };
/** Short blocks of both sides of one pair, in turns: what else the machine does then meets both alike. */
const TURNS = 6;

/** CPU of the instance and of the database for a decision. */
const sumCpu = ({ cpuUs }: Block): number => (cpuUs.node ?? NaN) + (cpuUs.mongod ?? NaN);

/** Runs the blocks of one pair in turns. */
async function runTurns(
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

const computeTurnMedian = (turns: readonly Sides[], compute: (sides: Sides) => number): number =>
  computeMedian(turns.map(compute));

export const measureLog: Group = {
  rows: ['log', 'log-p99'],
  async measure(stage, { pairs }) {
    const [on, off] = [
      await stage.openScene({ env: { ASSAY_LOG: 'on' } }),
      await stage.openScene({ env: { ASSAY_LOG: 'off' } }),
    ];
    const cpu: number[] = [];
    const addedMs: number[] = [];
    const outcome: Outcome = { pairs: { log: cpu, 'log-p99': addedMs } };
    const seconds = stage.span.seconds / 2;
    const span = { warmUp: seconds / 4, seconds };
    try {
      for (const scene of [on, off]) await warmUp(() => scene.runIngestion(MANY));
      for (let pair = 0; pair < pairs; pair++) {
        const many = await runTurns((scene) => scene.runIngestion({ ...MANY, span }), { on, off });
        const one = await runTurns((scene) => scene.runIngestion({ connections: 1, span }), {
          on,
          off,
        });
        cpu.push(computeTurnMedian(many, ({ a, b }) => sumCpu(a) / sumCpu(b)));
        addedMs.push(computeTurnMedian(one, ({ a, b }) => a.p99 - b.p99));
        const sides = many.at(-1);
        if (sides) outcome.sides = sides;
      }
      return outcome;
    } finally {
      await Promise.all([on.close(), off.close()]);
    }
  },
};
