// Admits a number of callers at a time, fairly: of all keys together, and of each key, alone and beside others.
import { FairQueue } from './fair-queue.ts';

/** Returns a permit. Calling it again MUST change nothing. */
export type Release = () => void;

/** How many of a class run and wait at a time. What is absent is not bounded. */
export interface AdmissionClass {
  /** Permits of all keys together. */
  permits?: number;
  /** Permits of one key. */
  limit?: number;
  /** Permits of one key while several keys ask; at most `limit`. */
  besideOthers?: number;
  /** Callers that wait; of more, the newest of the key with the most gets none. */
  maxWaiting?: number;
  /** Callers of one key that wait; a further one gets none. */
  maxWaitingOfKey?: number;
  /** Milliseconds that a caller waits; 0: it does not. */
  waitMs?: number;
  /**
   * Milliseconds after which a permit no longer counts while others wait: its owner waits for a database or another
   * server, not for the processor.
   */
  slowMs?: number;
}

interface Permit {
  key: string;
  startedAt: number;
}

interface Waiter {
  key: string;
  receive: (release: Release | null) => void;
}

/** Keys that ask within this time are beside each other. */
const BESIDE_MS = 1000;

/**
 * - MUST NOT count more permits than the class has, and MUST free each once: returned, returned twice, or slow.
 * - MUST admit the callers of a key in their order, and the keys in rotation. A key below its limit MUST NOT wait for
 *   another one unless `permits` is reached.
 * - Has a timer for slow permits only while callers wait, and keeps nothing for a key without permits and waiters.
 */
export class Admission {
  readonly #class: AdmissionClass;
  readonly #waiting: FairQueue<Waiter>;
  /** Counted permits, oldest first. */
  readonly #acquired = new Set<Permit>();
  readonly #counts = new Map<string, number>();
  #newest: string | null = null;
  /** When a key last asked after another one. */
  #changedAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: AdmissionClass) {
    this.#class = limits;
    this.#waiting = new FairQueue(limits.maxWaiting ?? Infinity);
  }

  /** Keys with permits. */
  get size(): number {
    return this.#counts.size;
  }

  /** Returns synchronously while a permit is left; null, also later, when the caller gets none. */
  acquire(key: string, waitMs = this.#class.waitMs): Release | null | Promise<Release | null> {
    this.#note(key);
    if (this.#waiting.count(key) > 0) this.#admitWaiting(key);
    if (this.#isBelow(this.#limit, key)) return this.#take(key);
    const { maxWaitingOfKey = Infinity } = this.#class;
    if (waitMs === 0 || this.#waiting.count(key) >= maxWaitingOfKey) return null;
    const admitted = new Promise<Release | null>((resolve) => this.#wait(key, waitMs, resolve));
    this.#watch();
    return admitted;
  }

  #note(key: string): void {
    if (this.#newest !== null && key !== this.#newest) this.#changedAt = performance.now();
    this.#newest = key;
  }

  /** Permits of one key at the moment. */
  get #limit(): number {
    const { limit = Infinity, besideOthers = limit } = this.#class;
    const areSeveral = besideOthers < limit && performance.now() - this.#changedAt < BESIDE_MS;
    return areSeveral ? besideOthers : limit;
  }

  #isBelow(limit: number, key: string): boolean {
    const { permits = Infinity } = this.#class;
    return this.#acquired.size < permits && (this.#counts.get(key) ?? 0) < limit;
  }

  #take(key: string): Release {
    const permit: Permit = { key, startedAt: performance.now() };
    this.#acquired.add(permit);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    return () => this.#free(permit);
  }

  #wait(key: string, waitMs: number | undefined, resolve: Waiter['receive']): void {
    let timer: NodeJS.Timeout | undefined;
    const waiter: Waiter = {
      key,
      receive(release) {
        clearTimeout(timer);
        resolve(release);
      },
    };
    if (waitMs !== undefined)
      timer = setTimeout(() => {
        this.#waiting.remove({ tenant: key, client: '' }, waiter);
        resolve(null);
      }, waitMs).unref();
    this.#waiting.enqueue({ tenant: key, client: '' }, waiter)?.receive(null);
  }

  #free(permit: Permit): void {
    if (!this.#acquired.delete(permit)) return;
    const left = (this.#counts.get(permit.key) ?? 0) - 1;
    if (left === 0) this.#counts.delete(permit.key);
    else this.#counts.set(permit.key, left);
    if (this.#waiting.size > 0) this.#admitWaiting(permit.key);
    if (this.#acquired.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Admits who waits: callers of any key where all share permits, else those of the key that asks or has freed one. */
  #admitWaiting(key: string): void {
    const { permits } = this.#class;
    const keys = permits === undefined ? [key] : undefined;
    const limit = this.#limit;
    while (this.#acquired.size < (permits ?? Infinity)) {
      const next = this.#waiting.shift((one) => this.#isBelow(limit, one), keys);
      if (!next) return;
      next.receive(this.#take(next.key));
    }
  }

  /** Frees slow permits while callers wait. */
  #watch(): void {
    const { slowMs } = this.#class;
    const [oldest] = this.#acquired;
    if (slowMs === undefined || this.#timer || !oldest) return;
    const left = Math.max(1, oldest.startedAt + slowMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const before = performance.now() - slowMs;
      for (const permit of [...this.#acquired]) if (permit.startedAt <= before) this.#free(permit);
      if (this.#waiting.size > 0) this.#watch();
    }, left);
  }
}

/** Waits for a permit. @throws what `refuse` creates where there is none */
export async function requirePermit(
  acquired: Release | null | Promise<Release | null>,
  refuse: () => Error,
): Promise<Release> {
  const release = await acquired;
  if (release === null) throw refuse();
  return release;
}
