// Makes the memory limits of worker threads effective: a process flag for the young generation would override them.
import { setFlagsFromString } from 'node:v8';

/** Resets the flag for new threads; the main thread has read it at its start and keeps its 128 MB. */
export function applyThreadLimits(): void {
  setFlagsFromString('--max-semi-space-size=0');
}
