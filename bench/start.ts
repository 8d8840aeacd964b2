// Starts the compiled server again and again: how long until it is ready, and its memory while nothing happens.
import { setTimeout as sleep } from 'node:timers/promises';
import { readMemory } from './hostile/hostile.ts';
import { stopChild } from './processes.ts';
import type { Stage } from './stage.ts';

/** Time after which an instance has done what it does at its start. */
const IDLE_MS = 10_000;

export interface Starts {
  /** Seconds from the start of the process to the first answer of `/ready`. */
  readonly seconds: number[];
  /** Resident memory ten seconds later, in MB. */
  readonly mb: number[];
}

export async function measureStarts(stage: Stage, runs: number): Promise<Starts> {
  const uri = stage.uri('start');
  // The first instance makes collections and indexes.
  await stopChild((await stage.startInstance(uri)).child);
  const starts: Starts = { seconds: [], mb: [] };
  for (let run = 0; run < runs; run++) {
    const begun = performance.now();
    const { child } = await stage.startInstance(uri);
    starts.seconds.push((performance.now() - begun) / 1000);
    await sleep(IDLE_MS);
    starts.mb.push(readMemory(child.pid ?? 0).now);
    await stopChild(child);
  }
  return starts;
}
