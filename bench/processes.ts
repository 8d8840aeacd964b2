// Child processes of the benchmark, and the processor time that any process has used (Linux).
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Measured, WorkerMessage } from './wire.ts';

/** Clock tick of `/proc`, the same on every Linux in use. */
const TICK_MS = 10;

/** Processor milliseconds of all threads of a process so far, in user and system mode. */
export function readCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Share of all processors that was busy during some seconds, 0 to 1. */
export async function measureBusyShare(seconds: number): Promise<number> {
  const readTimes = (): { idle: number; all: number } => {
    const times =
      readFileSync('/proc/stat', 'latin1')
        .split('\n', 1)[0]
        ?.split(/\s+/)
        .slice(1, 9)
        .map(Number) ?? [];
    return {
      idle: (times[3] ?? 0) + (times[4] ?? 0),
      all: times.reduce((sum, time) => sum + time, 0),
    };
  };
  const before = readTimes();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const after = readTimes();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

export interface ChildOptions {
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  nodeArgs?: readonly string[];
}

/** Settings that production requires; a benchmark has no mailbox. */
const OPEN = {
  REGISTRATION: 'open',
  ASSAY_MAIL_TO_FILES: 'allow',
  ASSAY_REQUIRE_VERIFIED_EMAIL: 'false',
};

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Starts a program below the project's folder, in TypeScript or compiled; it ends with this process. */
export function start(
  program: string,
  { args = [], env = {}, nodeArgs = [] }: ChildOptions = {},
): ChildProcess {
  const child = fork(fileURLToPath(new URL(`../${program}`, import.meta.url)), [...args], {
    execArgv: [...(program.endsWith('.ts') ? ['--import', 'tsx'] : []), ...nodeArgs],
    env: { ...process.env, NODE_ENV: 'production', ...OPEN, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  running.add(child.once('exit', () => running.delete(child)));
  return child;
}

/** Resolves with the next message of that kind. @throws Error when the child ends before it */
export function waitForMessage<K extends WorkerMessage['kind']>(
  child: ChildProcess,
  kind: K,
): Promise<Extract<WorkerMessage, { kind: K }>> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: WorkerMessage): void => {
      if (message.kind !== kind) return;
      child.off('message', onMessage).off('exit', onExit);
      resolve(message as Extract<WorkerMessage, { kind: K }>);
    };
    const onExit = (): void => reject(new Error(`${child.spawnargs.join(' ')} has ended`));
    child.on('message', onMessage).once('exit', onExit);
  });
}

export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

/** A measurement, with microseconds of processor per operation of each watched process, by name. */
export interface Block extends Measured {
  perSecond: number;
  cpuUs: Record<string, number>;
}

/** Runs a measurement in a child process and reads the CPU time of processes before and after. */
export async function measure(
  child: ChildProcess,
  order: object,
  watched: Readonly<Record<string, number>>,
): Promise<Block> {
  const readCpu = (): Record<string, number> =>
    Object.fromEntries(Object.entries(watched).map(([name, pid]) => [name, readCpuMs(pid)]));
  const measuring = waitForMessage(child, 'measuring').then(readCpu);
  const measured = waitForMessage(child, 'measured');
  child.send(order);
  const before = await measuring;
  const { measured: result } = await measured;
  const used = Object.entries(readCpu()).map(([name, ms]) => [
    name,
    ((ms - (before[name] ?? 0)) * 1000) / result.operations,
  ]);
  return {
    ...result,
    perSecond: result.operations / result.seconds,
    cpuUs: Object.fromEntries(used) as Record<string, number>,
  };
}
