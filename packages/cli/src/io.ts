// What a command has of the process that runs it, given to it, so that several can run in one process.
import type { Readable, Writable } from 'node:stream';

/** Signals that end a command which runs on. */
const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Io {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable;
  stderr: Writable;
  env: Readonly<Record<string, string | undefined>>;
  /** The folder that names of files begin in. */
  cwd: string;
  /** The words that start this very program. */
  program: readonly string[];
  /** The status that the command ends with, unless it fails. */
  exitCode: number;
  /** Calls `stop` when the command is asked to end, which then does not end the process. */
  onStop: (stop: () => void) => void;
}

/** The process itself. */
export function createProcessIo(): Io {
  const { stdin, stdout, stderr, env, execPath, argv } = process;
  return {
    stdin,
    stdout,
    stderr,
    env,
    cwd: process.cwd(),
    program: [execPath, argv[1]!],
    exitCode: 0,
    onStop(stop) {
      for (const signal of STOPS) process.on(signal, stop);
    },
  };
}
