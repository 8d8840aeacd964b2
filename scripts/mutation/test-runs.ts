// The process that runs the tests of a working copy, and is replaced when tests do not end.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Area } from './areas.ts';

export interface Order {
  /** Files that are not as they were in the run before. */
  changed: readonly string[];
  /** The one of them that is mutated now. */
  mutated?: string | undefined;
  tests: Area['tests'];
}

export interface Answer {
  /** The tests that failed, by name. */
  failed: string[];
  /** Milliseconds that the tests took, without a start of the database. */
  took: number;
}

export const ENDLESS = 'the tests did not end';

/** The first run of a process also starts a database and compiles all sources. */
const FIRST_TIMEOUT_MS = 900_000;
/** Some mutants never end: they get this, and three times what the tests take without a change. */
const SPARE_MS = 60_000;

export class TestRuns {
  #host: ChildProcess | undefined;
  readonly #folder: string;
  readonly #required: string;
  /** The file that was mutated in the last run. */
  #mutated: string | undefined;
  /** Milliseconds that the tests took without a change. */
  readonly #usual = new Map<Area['tests'], number>();

  constructor(folder: string, required: 'database' | 'nothing') {
    this.#folder = folder;
    this.#required = required;
  }

  /** Runs tests while a file is mutated. Tests that do not end, or end the process, have failed. */
  async runTests(tests: Area['tests'], mutated?: string): Promise<Answer> {
    const changed = [this.#mutated, mutated].filter((file) => file !== undefined);
    this.#mutated = mutated;
    const answer = await this.#sendOrder({ changed, mutated, tests });
    if (mutated === undefined) this.#usual.set(tests, answer.took);
    return answer;
  }

  async #sendOrder(order: Order): Promise<Answer> {
    const usual = this.#usual.get(order.tests) ?? FIRST_TIMEOUT_MS;
    const limit = this.#host === undefined ? FIRST_TIMEOUT_MS : SPARE_MS + Math.ceil(3 * usual);
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
    return { failed: [ENDLESS], took: limit };
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
