// A worker thread that answers many requests at a time: the caller's side. The thread's side is `thread-answers.ts`.
import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { ThreadAbort, ThreadMessage, ThreadResponse } from './thread-answers.ts';
import { applyThreadLimits } from './thread-limits.ts';

export interface ThreadOptions {
  script: URL;
  workerData: unknown;
  resourceLimits: ResourceLimits;
  /** The thread ends after this time without a request; default: a minute. */
  restMs?: number | undefined;
}

interface PendingRequest {
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

const REST_MS = 60_000;

/** Does not keep the process alive. */
export class AnsweringThread<Q> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PendingRequest>();
  #lastId = 0;
  #end: unknown = null;

  constructor({ script, workerData, resourceLimits }: ThreadOptions) {
    applyThreadLimits();
    this.#worker = new Worker(script, { workerData, resourceLimits, execArgv: [] });
    this.#worker.unref();
    this.#worker.on('message', (response: ThreadResponse) => this.#settle(response));
    this.#worker.on('error', (error) => this.#endWith(error));
    this.#worker.on('exit', () => this.#endWith(new Error('the thread has ended')));
  }

  get hasEnded(): boolean {
    return this.#end !== null;
  }

  /** Rejects with what the thread threw, or when it has ended; once `signal` is aborted, when the thread has stopped working. */
  async sendRequest(request: Q, signal?: AbortSignal): Promise<unknown> {
    if (this.#end !== null) throw this.#end;
    signal?.throwIfAborted();
    const id = ++this.#lastId;
    const sendAbort = (): void => this.#worker.postMessage({ abortedId: id } satisfies ThreadAbort);
    const answered = new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, request } satisfies ThreadMessage<Q>);
    });
    signal?.addEventListener('abort', sendAbort);
    try {
      return await answered;
    } finally {
      signal?.removeEventListener('abort', sendAbort);
    }
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

/** A thread that is kept alive until it is released. */
export interface HeldThread<Q> {
  sendRequest(request: Q, signal?: AbortSignal): Promise<unknown>;
  release(): void;
}

export interface LastingThread<Q> {
  /** Rejects with what the thread threw, or when it has ended; once `signal` is aborted, when the thread has stopped working. */
  sendRequest(request: Q, signal?: AbortSignal): Promise<unknown>;
  /** Keeps the thread alive, for a series of requests that must reach the same thread. */
  holdThread(): HeldThread<Q>;
  close(): Promise<void>;
}

/** Starts the thread on first use, ends it when idle, and starts another one after that or after a failure. */
export function createLastingThread<Q>(options: ThreadOptions): LastingThread<Q> {
  const { restMs = REST_MS } = options;
  let thread: AnsweringThread<Q> | null = null;
  let rest: NodeJS.Timeout | undefined;
  let holders = 0;

  async function endThread(): Promise<void> {
    clearTimeout(rest);
    const ended = thread;
    thread = null;
    await ended?.terminate();
  }

  function holdThread(): HeldThread<Q> {
    clearTimeout(rest);
    holders += 1;
    if (!thread || thread.hasEnded) thread = new AnsweringThread(options);
    const held = thread;
    return {
      sendRequest: (request, signal) => held.sendRequest(request, signal),
      release() {
        holders -= 1;
        if (holders === 0) rest = setTimeout(() => void endThread(), restMs).unref();
      },
    };
  }

  return {
    async sendRequest(request, signal) {
      const held = holdThread();
      try {
        return await held.sendRequest(request, signal);
      } finally {
        held.release();
      }
    },
    holdThread,
    close: endThread,
  };
}
