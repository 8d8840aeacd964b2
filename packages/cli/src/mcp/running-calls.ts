// The calls of one connection that are under way, by the ids of their requests.
import { type RequestId, toKey } from './messages.ts';

/** One call: its signal ends it, whether it is held or was passed on. */
export class RunningCall {
  readonly #ending = new AbortController();
  /** Whether it was passed on: then it may have run. */
  isPassedOn = false;

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  end(reason: string): void {
    this.#ending.abort(new Error(reason));
  }
}

export class RunningCalls {
  readonly #calls = new Map<RequestId, RunningCall>();
  /** What comes last under an id: two calls of one id run one after the other. */
  readonly #last = new Map<RequestId, Promise<void>>();
  readonly #open = new Set<Promise<void>>();

  /** Runs a call under its id, after the one of the same id that is under way. */
  async run(given: RequestId, answer: (running: RunningCall) => Promise<void>): Promise<void> {
    const id = toKey(given);
    const before = this.#last.get(id) ?? Promise.resolve();
    const ended = before.then(async () => {
      const running = new RunningCall();
      this.#calls.set(id, running);
      await answer(running).finally(() => this.#calls.delete(id));
    });
    const settled = ended.catch(() => undefined);
    this.#last.set(id, settled);
    this.#open.add(settled);
    await settled;
    this.#open.delete(settled);
    if (this.#last.get(id) === settled) this.#last.delete(id);
    return ended;
  }

  /** Whether a call of an id is under way, held or passed on. */
  has(id: RequestId): boolean {
    return this.#calls.has(toKey(id));
  }

  /** Ends a call that its client cancels. Returns whether the server has to hear of it. */
  cancel(id: RequestId): boolean {
    const running = this.#calls.get(toKey(id));
    running?.end('The client cancelled the request');
    return running?.isPassedOn ?? true;
  }

  /** Ends all; resolves when each has its end on the record. */
  async endAll(reason: string): Promise<void> {
    for (const running of this.#calls.values()) running.end(reason);
    await Promise.all(this.#open);
  }
}
