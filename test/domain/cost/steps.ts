// Counts the steps of some work: how often the engine enters each block of code. Exact on a busy machine too.
// Only code compiled while counting is on has counters: import the counted modules after `startCounting`.
import { Session, type Profiler } from 'node:inspector';

type Scripts = Profiler.TakePreciseCoverageReturnType['result'];

const session = new Session();

export function startCounting(): void {
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}

/** Blocks entered by each function, in all code but that of Node; native code does not count. */
export function countSteps(works: readonly (() => unknown)[]): number[] {
  takeCounts();
  return works.map((work) => {
    work();
    return countEntered(takeCounts());
  });
}

/** The counts since the last call; a session on its own thread answers at once. */
function takeCounts(): Scripts {
  let scripts: Scripts = [];
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error) throw error;
    scripts = result;
  });
  return scripts;
}

function countEntered(scripts: Scripts): number {
  let sum = 0;
  for (const { url, functions } of scripts)
    if (!url.startsWith('node:'))
      for (const { ranges } of functions) for (const { count } of ranges) sum += count;
  return sum;
}
