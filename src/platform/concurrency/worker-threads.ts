// Worker threads for one request at a time each: started on first use, replaced after a timeout, ended when idle.
import { once } from 'node:events';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { AbandonedError, AppError } from '../../errors.ts';
import { applyThreadLimits } from '../thread-limits.ts';
import { FairQueue, type QueueKey } from './fair-queue.ts';

/** The caller that waits for an answer. */
export interface RequestOrigin extends QueueKey {
  /** Whether the caller has gone. */
  isAbandoned(): boolean;
}

/**
 * - A thread answers one request at a time, within `timeoutMs`; one that fails or takes longer MUST be replaced before the next.
 * - A share MUST NOT have more than one request under way, so that one share never occupies all threads.
 * - At most `maxWaiting` requests wait. MUST serve their shares in rotation, and the clients of a share in rotation.
 * - When too many wait, the newest of the largest share is refused.
 * - MUST NOT begin a request whose caller has gone.
 * - A thread without requests for `restMs` ends; the next request starts a new one.
 */
export interface WorkerThreads<Q, A> {
  /**
   * Rejects with what the thread threw, or an `AbortError` once it takes longer than `timeoutMs`.
   * @throws AppError `SERVICE_UNAVAILABLE` for a refused request and in place of the `AbortError` (`lateText`), `AbandonedError` for one whose caller has gone
   */
  sendRequest(request: Q, line: RequestOrigin): Promise<A>;
  close(): Promise<void>;
}

interface ThreadDeps {
  /** Its thread posts one message when it is ready, then one answer per message. */
  script: URL;
  workerData?: unknown;
  /** Limits of each thread. */
  resourceLimits: ResourceLimits;
  /** Timeout of one request. */
  timeoutMs: number;
  /** Text of the `SERVICE_UNAVAILABLE` for a request that takes longer; absent: an `AbortError`. */
  lateText?: string;
  /** Default: a minute. */
  restMs?: number | undefined;
}

interface WorkerThreadsDeps extends ThreadDeps {
  /** Number of threads; the second one starts when two shares have requests at the same time. */
  threads: number;
  maxWaiting: number;
}

interface PendingRequest<Q, A> {
  request: Q;
  line: RequestOrigin;
  resolve: (answer: Promise<A>) => void;
  reject: (error: unknown) => void;
}

/** One thread, which MUST get one request at a time. */
interface Thread<Q, A> {
  answer(request: Q): Promise<A>;
  terminate(): Promise<void>;
}

const REST_MS = 60_000;

export function createWorkerThreads<Q, A>(deps: WorkerThreadsDeps): WorkerThreads<Q, A> {
  const all = Array.from({ length: deps.threads }, () => createThread<Q, A>(deps));
  /** Idle threads, the most recently used one last. */
  const idle = [...all];
  const underWay = new Set<string>();
  const waiting = new FairQueue<PendingRequest<Q, A>>(deps.maxWaiting);

  async function serve(
    thread: Thread<Q, A>,
    { request, line, resolve }: PendingRequest<Q, A>,
  ): Promise<void> {
    underWay.add(line.share);
    const answered = thread.answer(request);
    resolve(answered);
    await answered.catch(() => undefined);
    underWay.delete(line.share);
    idle.push(thread);
    serveNext();
  }

  function serveNext(): void {
    while (idle.length > 0) {
      const next = waiting.shift((share) => !underWay.has(share));
      if (!next) return;
      if (next.line.isAbandoned()) {
        next.reject(new AbandonedError());
        continue;
      }
      const thread = idle.pop();
      if (thread) void serve(thread, next);
    }
  }

  return {
    sendRequest: (request, line) =>
      new Promise<A>((resolve, reject) => {
        waiting.enqueue(line, { request, line, resolve, reject })?.reject(createBusyError());
        serveNext();
      }),
    async close() {
      await Promise.all(all.map((thread) => thread.terminate()));
    },
  };
}

function createThread<Q, A>(deps: ThreadDeps): Thread<Q, A> {
  const { script, workerData, resourceLimits, timeoutMs, lateText, restMs = REST_MS } = deps;
  let worker: Worker | null = null;
  let rest: NodeJS.Timeout | undefined;

  async function start(): Promise<Worker> {
    applyThreadLimits();
    const started = new Worker(script, { workerData, execArgv: [], resourceLimits });
    started.unref();
    // `once` below and in `answer` rejects on the same event.
    started.on('error', () => {
      if (worker === started) worker = null;
    });
    await once(started, 'message');
    return started;
  }

  async function terminate(): Promise<void> {
    clearTimeout(rest);
    const terminated = worker;
    worker = null;
    await terminated?.terminate();
  }

  return {
    async answer(request) {
      clearTimeout(rest);
      const thread = (worker ??= await start());
      const signal = AbortSignal.timeout(timeoutMs);
      const message = once(thread, 'message', { signal }) as Promise<[A]>;
      thread.postMessage(request);
      try {
        const [answer] = await message;
        rest = setTimeout(() => void terminate(), restMs).unref();
        return answer;
      } catch (error) {
        await terminate();
        const isLate = (error as Error).name === 'AbortError';
        if (!isLate || lateText === undefined) throw error;
        throw new AppError('SERVICE_UNAVAILABLE', lateText, { cause: error });
      }
    },
    terminate,
  };
}

const createBusyError = (): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'Too many such requests at the moment', {
    headers: { 'Retry-After': '5' },
  });
