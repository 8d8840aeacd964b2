// A worker thread that answers one request after the other: started on first use, replaced when a request takes too long.
import { once } from 'node:events';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { AppError } from '../../errors.ts';
import { applyThreadLimits } from '../thread-limits.ts';
import { FairQueue, type Line } from './fair-queue.ts';

/** Who waits for an answer. */
export interface WaitingLine extends Line {
  /** Whether nobody waits for it any more. */
  isAbandoned(): boolean;
}

/**
 * - Answers one request at a time, each within `timeoutMs`; a thread that fails or takes longer MUST be replaced before the next.
 * - At most `maxWaiting` requests wait. MUST serve their shares in rotation, and the clients of a share in rotation.
 * - When too many wait, the newest of the largest share is refused.
 * - MUST NOT begin a request that nobody waits for any more.
 */
export interface WorkerThread<Q, A> {
  /**
   * Rejects with what the thread threw, or a `TimeoutError`.
   * @throws AppError `SERVICE_UNAVAILABLE` for one that is refused or abandoned
   */
  ask(request: Q, line: WaitingLine): Promise<A>;
  close(): Promise<void>;
}

interface WorkerThreadDeps {
  /** Posts a message once it is ready, then one for each message it gets. */
  script: URL;
  workerData?: unknown;
  resourceLimits: ResourceLimits;
  /** Of one request; one after the other, so each has all of it. */
  timeoutMs: number;
  maxWaiting: number;
}

interface Waiting<Q, A> {
  request: Q;
  line: WaitingLine;
  resolve: (answer: Promise<A>) => void;
  reject: (error: unknown) => void;
}

export function createWorkerThread<Q, A>(deps: WorkerThreadDeps): WorkerThread<Q, A> {
  const { script, workerData, resourceLimits, timeoutMs, maxWaiting } = deps;
  const waiting = new FairQueue<Waiting<Q, A>>(maxWaiting);
  let worker: Worker | null = null;
  let isBusy = false;

  async function start(): Promise<Worker> {
    applyThreadLimits();
    const started = new Worker(script, { workerData, execArgv: [], resourceLimits });
    started.unref();
    // `once` below and in `answer` rejects on the same event.
    started.on('error', () => (worker = null));
    await once(started, 'message');
    return started;
  }

  async function terminate(): Promise<void> {
    const terminated = worker;
    worker = null;
    await terminated?.terminate();
  }

  async function answer(request: Q): Promise<A> {
    const thread = (worker ??= await start());
    const signal = AbortSignal.timeout(timeoutMs);
    const message = once(thread, 'message', { signal }) as Promise<[A]>;
    thread.postMessage(request);
    try {
      return (await message)[0];
    } catch (error) {
      await terminate();
      throw error;
    }
  }

  async function answerAll(): Promise<void> {
    isBusy = true;
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      if (next.line.isAbandoned()) {
        next.reject(busy());
        continue;
      }
      const answered = answer(next.request);
      next.resolve(answered);
      await answered.catch(() => undefined);
    }
    isBusy = false;
  }

  return {
    ask: (request, line) =>
      new Promise<A>((resolve, reject) => {
        waiting.push(line, { request, line, resolve, reject })?.reject(busy());
        if (!isBusy) void answerAll();
      }),
    close: terminate,
  };
}

const busy = (): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'Too many such requests at the moment', {
    headers: { 'Retry-After': '5' },
  });
