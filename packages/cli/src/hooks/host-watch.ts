// Notices that the host of a hook has gone: it was asked to end, or a process that started it has ended.
import { readFileSync } from 'node:fs';
import type { Io } from '../io.ts';

/** Between a hook and its host there may be shells and npx. */
const LEVELS = 4;
const PAUSE_MS = 500;

interface HostWatch {
  signal: AbortSignal;
  /** Ends the watch. */
  end: () => void;
}

/** Returns what is aborted when nobody waits for the hook any more. */
export function watchHost({ stdout, onStop }: Io): HostWatch {
  const left = new AbortController();
  const leave = (): void => left.abort(new Error('The host has gone'));
  onStop(leave);
  stdout.on('error', leave);
  const before = listAncestors().join();
  const timer = setInterval(() => {
    if (listAncestors().join() !== before) leave();
  }, PAUSE_MS).unref();
  return { signal: left.signal, end: () => clearInterval(timer) };
}

/** The parent, and where the system lists processes as files, those above it. */
function listAncestors(): number[] {
  const found = [process.ppid];
  while (found.length < LEVELS) {
    const parent = readParent(found.at(-1)!);
    if (parent === undefined || parent <= 1) break;
    found.push(parent);
  }
  return found;
}

function readParent(pid: number): number | undefined {
  try {
    // The name of the program, in brackets, may hold anything.
    const [, fields = ''] =
      /^.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
    return Number(fields) || undefined;
  } catch {
    return undefined;
  }
}
