// Makes the limits of worker threads hold: a flag of the process for its own young generation outweighs those of every thread.
import { setFlagsFromString } from 'node:v8';

/** The main thread has read the flag at its start and keeps its 128 MB for half a young generation, which no other thread needs. */
export function applyThreadLimits(): void {
  setFlagsFromString('--max-semi-space-size=0');
}
