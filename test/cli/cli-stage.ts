// Runs `assay` as people do: a process of its own, with a configuration folder of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';

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
  pid: number;
  /** Resolves with standard error as soon as it matches. */
  waitForError(pattern: RegExp): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<Ended>;
}

export interface Cli {
  folder: string;
  environment: Record<string, string>;
  /** `cwd`: where; else the folder of the configuration. */
  run(args: readonly string[], input?: string, cwd?: string): Promise<Ended>;
  /** Starts a command without input. */
  start(args: readonly string[]): Running;
}

/** `environment` says who asks: ASSAY_URL, ASSAY_KEY, ASSAY_TOKEN. */
export async function createCli(given: Record<string, string> = {}): Promise<Cli> {
  const folder = await mkdtemp(join(inject('scratch'), 'cli-'));
  const { PATH = '' } = process.env;
  const environment = { PATH, HOME: folder, XDG_CONFIG_HOME: join(folder, 'config'), ...given };
  const spawnCli = (args: readonly string[], cwd = folder) =>
    spawn(process.execPath, [findProgram('assay'), ...args], { cwd, env: environment });
  return {
    folder,
    environment,
    async run(args, input = '', cwd = folder) {
      const child = spawnCli(args, cwd);
      child.stdin.end(input);
      const [out, err] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ]);
      return { code: child.exitCode, out, err };
    },
    start(args) {
      const child = spawnCli(args);
      child.stdin.end();
      let out = '';
      let err = '';
      child.stdout.setEncoding('utf8').on('data', (data: string) => (out += data));
      child.stderr.setEncoding('utf8').on('data', (data: string) => (err += data));
      const ended = once(child, 'close').then(() => ({ code: child.exitCode, out, err }));
      return {
        pid: child.pid!,
        kill: (signal) => void child.kill(signal),
        ended,
        async waitForError(pattern) {
          while (!pattern.test(err)) {
            const next = once(child.stderr, 'data').then(() => 'more');
            const which = await Promise.race([next, ended.then(() => 'ended')]);
            if (which === 'ended' && !pattern.test(err)) throw new Error(`ended: ${err}`);
          }
          return err;
        },
      };
    },
  };
}

export function readJson<T>({ out, err, code }: Ended): T {
  try {
    return JSON.parse(out) as T;
  } catch {
    throw new Error(`no JSON (${code}): ${out}\n${err}`);
  }
}
