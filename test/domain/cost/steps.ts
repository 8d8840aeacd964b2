// Counts the steps of a piece of work: how often the engine enters each block of code. Exact, whatever else the machine does.
// Only code that is compiled while the counting is on has counters: import what is counted after `startCounting`.
import { Session, type Profiler } from 'node:inspector';

type Scripts = Profiler.TakePreciseCoverageReturnType['result'];

const session = new Session();

export function startCounting(): void {
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}

/** Blocks entered by each of these, in all code but that of Node; native code counts for nothing. */
export function stepsOf(works: readonly (() => unknown)[]): number[] {
  taken();
  return works.map((work) => {
    work();
    return entered(taken());
  });
}

/** The counts since they were last taken; a session on its own thread answers at once. */
function taken(): Scripts {
  let scripts: Scripts = [];
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error) throw error;
    scripts = result;
  });
  return scripts;
}

function entered(scripts: Scripts): number {
  let sum = 0;
  for (const { url, functions } of scripts)
    if (!url.startsWith('node:'))
      for (const { ranges } of functions) for (const { count } of ranges) sum += count;
  return sum;
}
