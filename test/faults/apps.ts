// Compiled instances as child processes: started, killed, restarted; each has as many workers as ASSAY_WORKERS says.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { findFreePort } from '@assay/embedded-mongod';
import type { Step } from '../../src/ledger/probe.ts';
import type { Asked, Orders, Said } from './app-process.ts';

export const WORKERS = Number(process.env.ASSAY_WORKERS ?? 1);

/** `workers` overrides ASSAY_WORKERS. */
type AppOrders = Omit<Orders, 'workers' | 'port'> & { workers?: number };

export class App {
  readonly #orders: AppOrders;
  #child: ChildProcess | null = null;
  /** Resolves when the process or one of its workers is gone. */
  #firstEnd: Promise<unknown> = Promise.resolve();
  #hasDied = true;
  #kills = 0;
  /** Null while the instance is down. */
  url: string | null = null;
  /** The steps at which workers were killed that die in turn, one after another. */
  readonly killedAt: Step[] = [];
  /** The content of its error log. */
  complaints = '';

  constructor(orders: AppOrders) {
    this.#orders = orders;
  }

  /** Starts the instance, after its remains have ended; resolves when it answers requests. */
  async start(more: Partial<AppOrders> = {}): Promise<void> {
    await this.kill();
    const { workers = WORKERS } = this.#orders;
    const port = workers > 1 ? await findFreePort() : 0;
    const orders = JSON.stringify({ ...this.#orders, ...more, workers, port });
    const program = fileURLToPath(new URL('app-process.mjs', inject('built')));
    const child = fork(program, [orders], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child = child;
    child.stderr?.on(
      'data',
      (chunk: Buffer) => (this.complaints = (this.complaints + chunk.toString()).slice(-20_000)),
    );
    const exit = once(child, 'exit');
    child.once('exit', () => (this.url = null));
    child.on('message', ({ killedAt }: Said) => {
      if (killedAt) this.killedAt.push(killedAt);
    });
    this.#watch(child);
    const message = await Promise.race([
      said(child, ({ url }) => url !== undefined),
      exit.then(() => null),
    ]);
    if (message?.url === undefined)
      throw new Error(`the instance did not start:\n${this.complaints}`);
    this.url = message.url;
  }

  /** Milliseconds of processor time that the event loops of the process and its workers have taken, whatever else runs. */
  async measureLoopsMs(): Promise<number> {
    const pid = this.#child?.pid;
    const workers = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    // The first thread of a process is its event loop; its first number is what it has run, in nanoseconds.
    const read = (id: string): Promise<string> =>
      readFile(`/proc/${id}/task/${id}/schedstat`, 'utf8');
    const times = await Promise.all([String(pid), ...workers.split(' ').filter(Boolean)].map(read));
    return times.reduce((sum, time) => sum + Number.parseInt(time, 10), 0) / 1e6;
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }

  /** Asks a process without workers. */
  ask(asked: Asked): void {
    this.#child?.send(asked);
  }

  /** Runs every job of a process without workers once. */
  async runJobs(): Promise<void> {
    const child = this.#child as ChildProcess;
    const ran = said(child, ({ ranJobs }) => ranJobs === true);
    this.ask({ runJobs: true });
    await ran;
  }

  /** Stops the process where it is. */
  stop(): void {
    this.#child?.kill('SIGSTOP');
  }

  /** Wakes a process that is stopped. */
  wake(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Resolves when the process is stopped, with true, or when something else has ended, with false. */
  async awaitStop(other: Promise<unknown>): Promise<boolean> {
    let hasEnded = false;
    const end = (): void => void (hasEnded = true);
    other.then(end, end);
    for (; ; await sleep(1)) {
      const status = await readFile(`/proc/${this.#child?.pid}/stat`, 'utf8');
      if (status.slice(status.lastIndexOf(')')).startsWith(') T')) return true;
      if (hasEnded) return false;
    }
  }

  /** Kills the process, or one of its workers in rotation; the returned function waits until it is complete again. */
  async killOne(): Promise<() => Promise<unknown>> {
    const child = this.#child;
    if (WORKERS === 1 || !child) {
      await this.kill();
      return () => this.start();
    }
    const replaced = said(child, (message) => message.replaced === true);
    const died = said(child, (message) => message.died === true);
    child.send({ killOne: this.#kills++ });
    await died;
    return async () => {
      await replaced;
      this.#watch(child);
    };
  }

  #watch(child: ChildProcess): void {
    this.#hasDied = false;
    const end = Promise.race([once(child, 'exit'), said(child, ({ died }) => died === true)]);
    this.#firstEnd = end.then(() => (this.#hasDied = true));
  }

  /** Resolves when the process or one of its workers is gone, whatever ended it. */
  async ended(): Promise<void> {
    await this.#firstEnd;
  }

  get isAlive(): boolean {
    return this.url !== null && !this.#hasDied;
  }
}

/** Resolves with the next message of that kind. */
function said(child: ChildProcess, isWanted: (message: Said) => boolean): Promise<Said> {
  return new Promise((resolve) => {
    const listen = (message: Said): void => {
      if (!isWanted(message)) return;
      child.off('message', listen);
      resolve(message);
    };
    child.on('message', listen);
  });
}
