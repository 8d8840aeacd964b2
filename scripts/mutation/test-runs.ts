// The process that runs the tests of a working copy, and is replaced when tests do not end.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Area } from './areas.ts';

export interface Order {
  /** Files that are not as they were in the run before. */
  changed: readonly string[];
  tests: Area['tests'];
}

export interface Answer {
  /** The tests that failed, by name. */
  failed: string[];
}

/** The first run also starts a database and compiles all sources. */
const FIRST_TIMEOUT_MS = 300_000;
/** Some mutants never end. */
const TIMEOUT_MS = 90_000;

export class TestRuns {
  #host: ChildProcess | undefined;
  readonly #folder: string;
  readonly #required: string;
  /** The file that was mutated in the last run. */
  #mutated: string | undefined;

  constructor(folder: string, required: 'database' | 'nothing') {
    this.#folder = folder;
    this.#required = required;
  }

  /** Runs tests while a file is mutated. Tests that do not end, or end the process, have failed. */
  runTests(tests: Area['tests'], mutated?: string): Promise<Answer> {
    const changed = [this.#mutated, mutated].filter((file) => file !== undefined);
    this.#mutated = mutated;
    return this.#send({ changed, tests });
  }

  async #send(order: Order): Promise<Answer> {
    const limit = this.#host === undefined ? FIRST_TIMEOUT_MS : TIMEOUT_MS;
    const host = (this.#host ??= this.#startHost());
    const listening = new AbortController();
    const signal = AbortSignal.any([listening.signal, AbortSignal.timeout(limit)]);
    host.send(order);
    try {
      const [answer] = (await Promise.race([
        once(host, 'message', { signal }),
        once(host, 'exit', { signal }).then(() => []),
      ])) as [Answer?];
      if (answer) return answer;
    } catch {
      if (host.pid !== undefined) process.kill(-host.pid, 'SIGKILL');
    } finally {
      listening.abort();
    }
    this.#host = undefined;
    return { failed: ['the tests did not end'] };
  }

  #startHost(): ChildProcess {
    return fork(join(this.#folder, 'scripts/mutation/test-host.ts'), [this.#required], {
      cwd: this.#folder,
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      detached: true,
    });
  }

  /** Resolves when the database has ended too. */
  async stopHost(): Promise<void> {
    const host = this.#host;
    if (host === undefined) return;
    const ended = once(host, 'exit');
    host.disconnect();
    await ended;
  }
}
