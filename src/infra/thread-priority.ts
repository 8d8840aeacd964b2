// Makes a worker thread step back: the kernel gives it what the other threads leave over.
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/** A tenth of a processor at least, when everybody else wants all of it. */
const NICE = 10;

/** Lowers the priority of the calling thread, not of its process. Linux alone has one for each thread; elsewhere nothing changes. */
export function stepBack(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICE);
  } catch {
    // Without /proc, or forbidden: the thread works as any other.
  }
}
