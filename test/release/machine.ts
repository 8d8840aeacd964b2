// A machine with the packages and nothing else: an empty folder, an empty home, no checkout.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';

const execute = promisify(execFile);

export interface Machine {
  folder: string;
  environment: Record<string, string>;
  /** Writes a file into the folder. */
  write(name: string, text: string): Promise<void>;
  /** Runs a program to its end and returns what it prints. @throws when it fails */
  run(program: string, ...args: string[]): Promise<string>;
  /** Starts a program. */
  start(program: string, ...args: string[]): ChildProcess;
}

export async function createMachine(name: string): Promise<Machine> {
  const folder = join(inject('outside'), name);
  await mkdir(folder);
  const environment = {
    // Registries, certificates and caches are those of the machine.
    ...(process.env as Record<string, string>),
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, '.config'),
    XDG_STATE_HOME: join(folder, '.state'),
    MONGOD_BINARY: inject('mongod').path,
    LOG_LEVEL: 'error',
    npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? '/root', '.npm'),
    NODE_OPTIONS: '',
    NODE_ENV: '',
  };
  const options = { cwd: folder, env: environment };
  return {
    folder,
    environment,
    write: (file, text) => writeFile(join(folder, file), text),
    async run(program, ...args) {
      const { stdout } = await execute(program, args, { ...options, maxBuffer: 1e8 });
      return stdout;
    },
    start: (program, ...args) => spawn(program, args, { ...options, detached: true }),
  };
}

export async function findPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return String(port);
}

/** Resolves once a program has printed what matches. @throws when it ends before */
export async function waitForOutput(child: ChildProcess, pattern: RegExp): Promise<void> {
  let printed = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (data: Buffer) => (printed += String(data)));
  while (!pattern.test(printed)) {
    if (child.exitCode !== null) throw new Error(printed);
    await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')]);
  }
}

/** Ends a program and all that it started. */
export async function endGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  process.kill(-child.pid!, 'SIGTERM');
  await once(child, 'exit');
}

/** How many times as long a busy machine may take. */
export const countShare = (): number => Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
