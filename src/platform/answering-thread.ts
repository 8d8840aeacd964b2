// A worker thread that answers many requests at a time: this side of it. The other one is `thread-answers.ts`.
import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { ThreadMessage, ThreadResponse } from './thread-answers.ts';

export interface ThreadOptions {
  script: URL;
  workerData: unknown;
  resourceLimits: ResourceLimits;
}

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** Does not keep the process alive. */
export class AnsweringThread<Q> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #end: unknown = null;

  constructor({ script, ...options }: ThreadOptions) {
    this.#worker = new Worker(script, { ...options, execArgv: [] });
    this.#worker.unref();
    this.#worker.on('message', (response: ThreadResponse) => this.#settle(response));
    this.#worker.on('error', (error) => this.#endWith(error));
    this.#worker.on('exit', () => this.#endWith(new Error('the thread has ended')));
  }

  get hasEnded(): boolean {
    return this.#end !== null;
  }

  /** Rejects with what the thread threw, or when it has ended. */
  async ask(request: Q): Promise<unknown> {
    if (this.#end !== null) throw this.#end;
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, request } satisfies ThreadMessage<Q>);
    });
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #endWith(error: unknown): void {
    this.#end ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #settle({ id, value, error, marks }: ThreadResponse): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(Object.assign(error as object, marks));
  }
}

export interface LastingThread<Q> {
  /** Rejects with what the thread threw, or when it has ended. */
  ask(request: Q): Promise<unknown>;
  /** The thread of now: for what has to be asked of one and the same. */
  running(): AnsweringThread<Q>;
  close(): Promise<void>;
}

/** One that is started when it is first needed, and anew when it has failed. */
export function createLastingThread<Q>(options: ThreadOptions): LastingThread<Q> {
  let thread: AnsweringThread<Q> | null = null;
  function running(): AnsweringThread<Q> {
    if (!thread || thread.hasEnded) thread = new AnsweringThread(options);
    return thread;
  }
  return {
    ask: (request) => running().ask(request),
    running,
    async close() {
      await thread?.terminate();
    },
  };
}
