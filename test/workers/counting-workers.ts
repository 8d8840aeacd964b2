// Workers of one instance without their processes: each has its counts, and all report to one primary.
import { setImmediate as step } from 'node:timers/promises';
import { WindowCounts } from '../../src/platform/shared/window-counts.ts';
import { SharedCounts } from '../../src/workers/shared-counts.ts';

/** Workers whose messages to the primary take some steps of the event loop. */
export function createCountingWorkers(
  size: number,
  steps: () => number,
): { workers: SharedCounts[]; asked: () => number } {
  const counts = new WindowCounts();
  let asked = 0;
  const workers = Array.from({ length: size }, () => {
    let last = Promise.resolve();
    return new SharedCounts((rows) => {
      asked += 1;
      // Messages keep their order, as over a channel.
      const arrival = last.then(async () => {
        for (let left = steps(); left > 0; left--) await step();
      });
      last = arrival;
      return arrival.then(() => rows.map((row) => counts.increment(row, row.count, 0)));
    }, size);
  });
  return { workers, asked: () => asked };
}
