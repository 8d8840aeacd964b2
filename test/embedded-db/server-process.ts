// Starts the server as a separate process in its own folder, as in a real installation.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject, vi, type TestContext } from 'vitest';

/** The compiled server of a deployment. */
const COMPILED = [fileURLToPath(new URL('server.mjs', inject('built')))];
/** The server as `npm start` runs it. */
export const FROM_SOURCES = [
  '--import',
  import.meta.resolve('tsx'),
  join(import.meta.dirname, '../../scripts/start.ts'),
];
export const patience = { timeout: 60_000, interval: 20 };
/** A long timeout: starting a compiler and a database takes time on a busy machine. */
export const slow = { timeout: 180_000 };

export interface Server {
  process: ChildProcess;
  url: string;
  /** Everything printed so far. */
  output(): string;
  /** Resolves with the exit code or the signal. */
  ended: Promise<unknown>;
}

/** An empty folder for servers; those that still run at the end of the test are killed. */
export async function machine({ onTestFinished }: TestContext) {
  const folder = await mkdtemp(join(inject('scratch'), 'assay-server-'));
  const started: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const child of started) child.kill('SIGKILL');
    await vi.waitFor(() => rm(folder, { recursive: true, force: true }), patience);
  });

  async function start(
    environment: Record<string, string> = {},
    [program = '', ...args] = [process.execPath, ...COMPILED],
  ): Promise<Server> {
    const child = spawn(program, args, {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        MONGOD_BINARY: inject('mongod').path,
        PORT: '0',
        ...environment,
      },
    });
    started.push(child);
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (printed += String(chunk)));
    const ended = once(child, 'exit').then(([code, signal]: unknown[]) => code ?? signal);
    const output = (): string => printed;
    await vi.waitUntil(() => /"name":"first"/.test(printed) || child.exitCode !== null, patience);
    const url = /listens at +(\S+)/.exec(printed)?.[1] ?? '';
    return { process: child, url, output, ended };
  }
  return { folder, start, started };
}

export async function accepts(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  const accepted = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return accepted;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
