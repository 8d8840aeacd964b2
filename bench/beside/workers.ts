// Two workers on one port beside one process: as fast on one organisation, whose chain they share, and on eight.
import { abba, WARM, type Group, type Outcome, type Sides } from '../pairs.ts';
import type { RowName } from '../rows.ts';
import type { Scene } from '../stage.ts';

const CONNECTIONS = 64;

/** Until the code of each worker is compiled, and its young generation has its size. */
async function warmUp(scene: Scene, organizations: number, workers: number): Promise<void> {
  for (let warm = 0; warm < WARM * workers;)
    warm += (await scene.ingest({ connections: CONNECTIONS, organizations })).operations;
}

function compareWorkers(
  organizations: number,
  ratios: Partial<Record<RowName, (sides: Sides) => number>>,
): Group {
  const named = Object.entries(ratios) as [RowName, (sides: Sides) => number][];
  return {
    rows: named.map(([name]) => name),
    async measure(stage, plan) {
      const several = await stage.scene({ organizations, env: { ASSAY_WORKERS: '2' } });
      const one = await stage.scene({ organizations });
      const outcome: Outcome = { pairs: Object.fromEntries(named.map(([name]) => [name, []])) };
      try {
        await warmUp(several, organizations, 2);
        await warmUp(one, organizations, 1);
        for (let pair = 0; pair < plan.pairs; pair++) {
          const load = { connections: CONNECTIONS, organizations };
          const a = () => several.ingest(load);
          const sides = await abba(pair, { a, b: () => one.ingest(load) });
          for (const [name, ratio] of named) outcome.pairs[name]?.push(ratio(sides));
          outcome.sides = sides;
        }
        return outcome;
      } finally {
        await several.close();
        await one.close();
      }
    },
  };
}

const throughput = ({ a, b }: Sides): number => a.perSecond / b.perSecond;
const p99 = ({ a, b }: Sides): number => a.p99 / b.p99;

export const severalWorkers: readonly Group[] = [
  compareWorkers(1, { workers: throughput, 'workers-p99': p99 }),
  compareWorkers(8, { 'workers-eight': throughput }),
];
