// Runs `assay` with a configuration folder of its own: `main` in this process, or the program itself where the process matters.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import type { Io } from '../../packages/cli/src/io.ts';
import { main } from '../../packages/cli/src/main.ts';

/** The program compiled for this run. */
export const findProgram = (name: 'assay' | 'shop'): string =>
  fileURLToPath(new URL(`${name}.mjs`, inject('built')));

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** A command that is still running. */
export interface Running {
  /** Resolves with standard error as soon as it matches. */
  waitForError(pattern: RegExp): Promise<string>;
  /** Asks it to end, as a signal does. */
  stop(): void;
  ended: Promise<Ended>;
}

export interface Forked extends Omit<Running, 'stop'> {
  kill(signal: NodeJS.Signals): void;
}

export interface Cli {
  folder: string;
  environment: Record<string, string>;
  /** `cwd`: where; else the folder of the configuration. */
  run(args: readonly string[], input?: string, cwd?: string): Promise<Ended>;
  /** Starts a command without input. */
  start(args: readonly string[]): Running;
  /** Runs the program, in a process of its own. */
  fork(args: readonly string[], input?: string): Forked;
}

/** `environment` says who asks: ASSAY_URL, ASSAY_KEY, ASSAY_TOKEN. */
export async function createCli(given: Record<string, string> = {}): Promise<Cli> {
  const folder = await mkdtemp(join(inject('scratch'), 'cli-'));
  const { PATH = '' } = process.env;
  const environment = {
    PATH,
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
    ...given,
  };
  return {
    folder,
    environment,
    run: (args, input = '', cwd = folder) =>
      startMain(args, { cwd, env: environment, stdin: Readable.from([Buffer.from(input)]) }).ended,
    start: (args) => startMain(args, { cwd: folder, env: environment, stdin: Readable.from([]) }),
    fork(args, input = '') {
      const words = [findProgram('assay'), ...args];
      const child = spawn(process.execPath, words, { cwd: folder, env: environment });
      child.stdin.end(input);
      const out = text(child.stdout);
      const end = once(child, 'close').then(async () => ({ code: child.exitCode, out: await out }));
      return { ...follow(child.stderr, end), kill: (signal) => void child.kill(signal) };
    },
  };
}

/** Gathers standard error of a command that runs until `end`. */
function follow(stderr: Readable, end: Promise<Omit<Ended, 'err'>>): Omit<Running, 'stop'> {
  let err = '';
  stderr.setEncoding('utf8').on('data', (data: string) => (err += data));
  const ended = end.then((how) => ({ ...how, err }));
  return {
    ended,
    async waitForError(pattern) {
      while (!pattern.test(err)) {
        const next = once(stderr, 'data').then(() => 'more');
        const which = await Promise.race([next, ended.then(() => 'ended')]);
        if (which === 'ended' && !pattern.test(err)) throw new Error(`ended: ${err}`);
      }
      return err;
    },
  };
}

/** Runs a command line in this process; `stdout`: where its output goes, which is then not kept. */
export function startMain(
  args: readonly string[],
  given: Pick<Io, 'cwd' | 'env' | 'stdin'> & { stdout?: PassThrough },
): Running {
  const [stdout, stderr] = [given.stdout ?? new PassThrough(), new PassThrough()];
  const program = [process.execPath, findProgram('assay')];
  const stops: (() => void)[] = [];
  const onStop = (stop: () => void): void => void stops.push(stop);
  const io: Io = { ...given, stdout, stderr, program, exitCode: 0, onStop };
  const out = given.stdout ? Promise.resolve('') : text(stdout);
  const end = main(args, io).then(async (code) => {
    stdout.end();
    stderr.end();
    await once(stderr, 'close');
    return { code, out: await out };
  });
  return { ...follow(stderr, end), stop: () => stops.forEach((stop) => stop()) };
}

export function readJson<T>({ out, err, code }: Ended): T {
  try {
    return JSON.parse(out) as T;
  } catch {
    throw new Error(`no JSON (${code}): ${out}\n${err}`);
  }
}
