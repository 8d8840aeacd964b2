// The caller's side of one worker thread. The thread's side is `answer-requests.ts`.
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { AppError } from '../../errors.ts';
import type { ThreadAnswer, ThreadMessage, ThreadStart } from './answer-requests.ts';
import { unpackError } from './failures.ts';

export interface ThreadOptions extends ThreadStart {
  /** Module that calls `answerRequests`, or imports the source that does. */
  script: URL;
  /** Bounds of the young and the old generation, in megabytes. */
  youngMb: number;
  oldMb: number;
  /** Milliseconds for one request, from the time on at which the thread has loaded; absent: no limit. */
  timeoutMs?: number;
  /** Text of the `SERVICE_UNAVAILABLE` for a request that takes longer; absent: an error that is no `AppError`. */
  lateText?: string;
}

interface PendingRequest<A> {
  resolve: (value: A) => void;
  reject: (error: unknown) => void;
  timer?: NodeJS.Timeout;
}

/** Does not keep the process alive. Once it has ended, it MUST be replaced. */
export class RunningThread<Q, A> {
  readonly #options: ThreadOptions;
  readonly #worker: Worker;
  readonly #pending = new Map<number, PendingRequest<A>>();
  #lastId = 0;
  #hasLoaded = false;
  #end: unknown = null;

  constructor(options: ThreadOptions) {
    const { script, youngMb, oldMb, priority, data, sourceUrl } = options;
    this.#options = options;
    // A process flag for the young generation would outweigh the limit; the main thread has read it at its start.
    setFlagsFromString('--max-semi-space-size=0');
    this.#worker = new Worker(script, {
      workerData: { priority, data, sourceUrl } satisfies ThreadStart,
      resourceLimits: { maxYoungGenerationSizeMb: youngMb, maxOldGenerationSizeMb: oldMb },
      execArgv: [],
    });
    this.#worker.unref();
    this.#worker.on('message', (answer: ThreadAnswer) => this.#receive(answer));
    this.#worker.on('error', (error) => (this.#end ??= error));
    this.#worker.on('exit', () => this.#rejectAll());
  }

  get hasEnded(): boolean {
    return this.#end !== null;
  }

  /** Rejects with what the thread threw, or when it has ended; once `signal` is aborted, when the thread has stopped working. */
  async send(request: Q, signal?: AbortSignal): Promise<A> {
    if (this.#end !== null) throw this.#end;
    signal?.throwIfAborted();
    const id = ++this.#lastId;
    this.#post({ id, request });
    const sendAbort = (): void => this.#post({ abortedId: id });
    signal?.addEventListener('abort', sendAbort);
    try {
      return await new Promise<A>((resolve, reject) => {
        const pending = { resolve, reject };
        this.#pending.set(id, pending);
        if (this.#hasLoaded) this.#startTimer(pending);
      });
    } finally {
      signal?.removeEventListener('abort', sendAbort);
    }
  }

  /** Ends the thread; what it has under way is rejected with `reason`. */
  async end(reason: unknown = new Error('the thread has ended')): Promise<void> {
    this.#end ??= reason;
    await this.#worker.terminate();
  }

  #post(message: ThreadMessage<Q>): void {
    this.#worker.postMessage(message);
  }

  #receive(answer: ThreadAnswer): void {
    if (answer === 'ready') {
      this.#hasLoaded = true;
      for (const pending of this.#pending.values()) this.#startTimer(pending);
      return;
    }
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    clearTimeout(pending?.timer);
    if ('failure' in answer) pending?.reject(unpackError(answer.failure));
    else pending?.resolve(answer.value as A);
  }

  /** Ends the thread when the request takes too long. */
  #startTimer(pending: PendingRequest<A>): void {
    const { timeoutMs, lateText } = this.#options;
    if (timeoutMs === undefined) return;
    const endLate = (): void => {
      const cause = new Error(`a request took a thread longer than ${timeoutMs} ms`);
      const isRefusal = lateText !== undefined;
      void this.end(isRefusal ? new AppError('SERVICE_UNAVAILABLE', lateText, { cause }) : cause);
    };
    pending.timer = setTimeout(endLate, timeoutMs).unref();
  }

  #rejectAll(): void {
    this.#end ??= new Error('the thread has ended');
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(this.#end);
    }
    this.#pending.clear();
  }
}
