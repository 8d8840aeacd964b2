// Worker threads that answer one request at a time each: started on first use, replaced when a request takes too long, ended by a rest.
import { once } from 'node:events';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { AbandonedError, AppError } from '../../errors.ts';
import { applyThreadLimits } from '../thread-limits.ts';
import { FairQueue, type Line } from './fair-queue.ts';

/** Who waits for an answer. */
export interface WaitingLine extends Line {
  /** Whether nobody waits for it any more. */
  isAbandoned(): boolean;
}

/**
 * - A thread answers one request at a time, within `timeoutMs`; one that fails or takes longer MUST be replaced before the next.
 * - A share MUST NOT have more than one request under way: with two threads, what one share asks leaves a thread for the others.
 * - At most `maxWaiting` requests wait. MUST serve their shares in rotation, and the clients of a share in rotation.
 * - When too many wait, the newest of the largest share is refused.
 * - MUST NOT begin a request that nobody waits for any more.
 * - A thread that nobody has asked anything for `restMs` ends; the next request starts a new one.
 */
export interface WorkerThreads<Q, A> {
  /**
   * Rejects with what the thread threw, or a `TimeoutError`.
   * @throws AppError `SERVICE_UNAVAILABLE` for one that is refused, `AbandonedError` for one that nobody waits for
   */
  ask(request: Q, line: WaitingLine): Promise<A>;
  close(): Promise<void>;
}

interface ThreadDeps {
  /** Posts a message once it is ready, then one for each message it gets. */
  script: URL;
  workerData?: unknown;
  /** Of each thread. */
  resourceLimits: ResourceLimits;
  /** Of one request. */
  timeoutMs: number;
  /** Default: a minute. */
  restMs?: number | undefined;
}

interface WorkerThreadsDeps extends ThreadDeps {
  /** The second one starts when two shares ask at the same time. */
  threads: number;
  maxWaiting: number;
}

interface Waiting<Q, A> {
  request: Q;
  line: WaitingLine;
  resolve: (answer: Promise<A>) => void;
  reject: (error: unknown) => void;
}

/** One thread, that MUST be asked one thing after the other. */
interface Thread<Q, A> {
  answer(request: Q): Promise<A>;
  terminate(): Promise<void>;
}

const REST_MS = 60_000;

export function createWorkerThreads<Q, A>(deps: WorkerThreadsDeps): WorkerThreads<Q, A> {
  const all = Array.from({ length: deps.threads }, () => createThread<Q, A>(deps));
  /** The last one has worked last. */
  const idle = [...all];
  const underWay = new Set<string>();
  const waiting = new FairQueue<Waiting<Q, A>>(deps.maxWaiting);

  async function serve(
    thread: Thread<Q, A>,
    { request, line, resolve }: Waiting<Q, A>,
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
    ask: (request, line) =>
      new Promise<A>((resolve, reject) => {
        waiting.push(line, { request, line, resolve, reject })?.reject(busy());
        serveNext();
      }),
    async close() {
      await Promise.all(all.map((thread) => thread.terminate()));
    },
  };
}

function createThread<Q, A>(deps: ThreadDeps): Thread<Q, A> {
  const { script, workerData, resourceLimits, timeoutMs, restMs = REST_MS } = deps;
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
        throw error;
      }
    },
    terminate,
  };
}

const busy = (): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'Too many such requests at the moment', {
    headers: { 'Retry-After': '5' },
  });
