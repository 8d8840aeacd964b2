// Measures the CPU time of work, independent of other load on the machine.

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
