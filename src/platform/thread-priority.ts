// Makes a worker thread step back: the kernel gives it what the other threads leave over.
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

/** With ten steps less, about a tenth of a processor remains when everybody else wants all of it. */
const STEPS = 10;

/** Lowers the priority of the calling thread, not of its process. Linux alone has one for each thread; elsewhere nothing changes. */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, Math.min(getPriority(thread) + STEPS, constants.priority.PRIORITY_LOW));
  } catch {
    // Without /proc, or forbidden: the thread works as any other.
  }
}
