// What the JavaScript engine does: the processor time of work, independent of other load, and the collection of garbage.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const TRIES = 5;

/** Milliseconds of the quickest of some runs. */
export function measureProcessorMs(work: () => unknown): number {
  let least = Infinity;
  for (let run = 0; run < TRIES; run++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** Collects garbage at once, for what must not hold it or must not be collected. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
