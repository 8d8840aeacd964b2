// Instances as child processes, compiled: started, killed, started again.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import type { Orders } from './app-process.ts';

export class App {
  readonly #orders: Orders;
  #child: ChildProcess | null = null;
  /** Null while it is down. */
  url: string | null = null;
  /** What it wrote to its error log. */
  complaints = '';

  constructor(orders: Orders) {
    this.#orders = orders;
  }

  /** Resolves when it answers requests. */
  async start(more: Partial<Orders> = {}): Promise<void> {
    const orders = JSON.stringify({ ...this.#orders, ...more });
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
    child.once('exit', () => (this.url = null));
    const told = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => [null]),
    ]);
    const url = (told[0] as { url: string } | null)?.url;
    if (url === undefined) throw new Error(`the instance did not start:\n${this.complaints}`);
    this.url = url;
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    this.#child?.kill(signal);
    await this.ended();
  }

  /** Resolves when the process is gone, whoever ended it. */
  async ended(): Promise<void> {
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }

  get isAlive(): boolean {
    return this.url !== null;
  }
}
