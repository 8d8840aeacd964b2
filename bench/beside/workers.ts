// Compares two and four workers on one port with one process: on one organisation, whose chain they share, and eight.
import {
  type Group,
  measurePairs,
  p99,
  type Ratios,
  compareThroughput,
  WARM,
  warmUp,
} from '../pairs.ts';
import type { RowName } from '../rows.ts';

function compareWorkers(workers: number, organizations: number, ratios: Ratios): Group {
  return {
    rows: Object.keys(ratios) as RowName[],
    async measure(stage, { pairs }) {
      const env = { ASSAY_WORKERS: String(workers) };
      const several = await stage.openScene({ organizations, env });
      const one = await stage.openScene({ organizations });
      const load = { connections: 64, organizations };
      const loads = { a: () => several.runIngestion(load), b: () => one.runIngestion(load) };
      try {
        await warmUp(loads.a, WARM * workers);
        await warmUp(loads.b);
        return await measurePairs(ratios, pairs, loads);
      } finally {
        await several.close();
        await one.close();
      }
    },
  };
}

export const severalWorkers: readonly Group[] = [
  compareWorkers(2, 1, { workers: compareThroughput, 'workers-p99': p99 }),
  compareWorkers(2, 8, { 'workers-eight': compareThroughput }),
  compareWorkers(4, 1, { 'four-workers': compareThroughput }),
  compareWorkers(4, 8, { 'four-workers-eight': compareThroughput }),
];
