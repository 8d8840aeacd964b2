// A worker thread that answers one request after the other: started on first use, replaced when a request takes too long.
import { once } from 'node:events';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { applyThreadLimits } from './thread-limits.ts';

export interface ThreadQueue<Q, A> {
  /** Rejects when the thread fails or takes too long; the next request then has a new one. */
  ask(request: Q): Promise<A>;
  close(): Promise<void>;
}

interface ThreadQueueDeps {
  /** Posts a message once it is ready, then one for each message it gets. */
  script: URL;
  workerData?: unknown;
  resourceLimits: ResourceLimits;
  /** Of one request; one after the other, so each has all of it. */
  timeoutMs: number;
}

export function createThreadQueue<Q, A>(deps: ThreadQueueDeps): ThreadQueue<Q, A> {
  const { script, workerData, resourceLimits, timeoutMs } = deps;
  let worker: Worker | null = null;
  let queue: Promise<unknown> = Promise.resolve();

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

  return {
    ask(request) {
      const answered = queue.then(() => answer(request));
      queue = answered.catch(() => undefined);
      return answered;
    },
    close: terminate,
  };
}
