// A pool of worker threads of one kind: started on first use, replaced after a failure, ended when idle.
import { AbandonedError, AppError } from '../../errors.ts';
import { FairQueue, type QueueKey } from '../concurrency/fair-queue.ts';
import { RunningThread, type ThreadOptions } from './running-thread.ts';

/** The caller that waits for an answer. */
export interface RequestOrigin extends QueueKey {
  /** Whether the caller has gone. */
  isAbandoned(): boolean;
}

export interface PoolLimits {
  /** Number of threads; one more is started when the others have work. */
  threads: number;
  /** Requests that wait for an idle thread; absent: none has to. */
  maxWaiting?: number;
  /** Milliseconds after which an idle thread ends; default: a minute. */
  restMs?: number;
}

/** A thread that stays alive, for a series of requests that must reach the same one. */
export interface ThreadSlot<Q, A> {
  send(request: Q, signal?: AbortSignal): Promise<A>;
  /** MUST be called once. */
  release(): void;
}

interface Slot<Q, A> {
  thread: RunningThread<Q, A> | null;
  /** Requests and series under way. */
  load: number;
  rest?: NodeJS.Timeout;
}

interface WaitingRequest<Q, A> {
  request: Q;
  origin: RequestOrigin;
  resolve: (answer: Promise<A>) => void;
  reject: (error: unknown) => void;
}

const REST_MS = 60_000;

/** Every request rejects with what the thread threw, and when the thread dies or takes longer than the time limit. */
export class ThreadPool<Q, A> {
  readonly #options: ThreadOptions & PoolLimits;
  readonly #slots: readonly Slot<Q, A>[];
  readonly #waiting: FairQueue<WaitingRequest<Q, A>>;
  readonly #tenantsUnderWay = new Set<string>();

  /** Starts no thread before the first request. */
  constructor(options: ThreadOptions & PoolLimits) {
    this.#options = options;
    this.#slots = Array.from({ length: options.threads }, () => ({ thread: null, load: 0 }));
    this.#waiting = new FairQueue(options.maxWaiting ?? 0);
  }

  /**
   * Sends a request in its turn: to an idle thread, which gets no other one until it has answered.
   * - A tenant MUST NOT have more than one request under way, so that one tenant never occupies all threads.
   * - MUST serve the waiting tenants in rotation, and the clients of a tenant in rotation.
   * - When more than `maxWaiting` wait, the newest of the largest tenant is refused.
   * - MUST NOT begin a request whose caller has gone.
   * @throws AppError `SERVICE_UNAVAILABLE` for a refused request, `AbandonedError` for one whose caller has gone
   */
  sendInTurn(request: Q, origin: RequestOrigin): Promise<A> {
    return new Promise((resolve, reject) => {
      const waiting = { request, origin, resolve, reject };
      this.#waiting.enqueue(origin, waiting)?.reject(createBusyError());
      this.#serveWaiting();
    });
  }

  /** Sends a request at once, also to a thread that has others; an abort of `signal` reaches the thread. */
  async sendToLeastBusy(request: Q, signal?: AbortSignal): Promise<A> {
    const slot = this.acquireSlot();
    try {
      return await slot.send(request, signal);
    } finally {
      slot.release();
    }
  }

  /** Takes the thread with the least under way. */
  acquireSlot(): ThreadSlot<Q, A> {
    const slot = this.#slots.reduce((least, other) => (other.load < least.load ? other : least));
    if (!slot.thread || slot.thread.hasEnded) slot.thread = new RunningThread(this.#options);
    slot.load += 1;
    clearTimeout(slot.rest);
    const { thread } = slot;
    return {
      send: (request, signal) => thread.send(request, signal),
      release: () => this.#release(slot),
    };
  }

  /** Ends all threads; what is under way or waits is rejected. */
  async close(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift())
      next.reject(new Error('the threads have ended'));
    await Promise.all(this.#slots.map(async ({ thread }) => thread?.end()));
  }

  #release(slot: Slot<Q, A>): void {
    slot.load -= 1;
    if (slot.load > 0) return;
    const { restMs = REST_MS } = this.#options;
    slot.rest = setTimeout(() => void slot.thread?.end(), restMs).unref();
  }

  #serveWaiting(): void {
    while (this.#slots.some(({ load }) => load === 0)) {
      const next = this.#waiting.shift((tenant) => !this.#tenantsUnderWay.has(tenant));
      if (!next) return;
      if (next.origin.isAbandoned()) next.reject(new AbandonedError());
      else void this.#serve(next);
    }
  }

  async #serve({ request, origin, resolve }: WaitingRequest<Q, A>): Promise<void> {
    this.#tenantsUnderWay.add(origin.tenant);
    const answered = this.sendToLeastBusy(request);
    resolve(answered);
    await answered.catch(() => undefined);
    this.#tenantsUnderWay.delete(origin.tenant);
    this.#serveWaiting();
  }
}

const createBusyError = (): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'Too many such requests at the moment', {
    headers: { 'Retry-After': '5' },
  });
