// Debounces wake-ups: the work of an organisation runs a few times a second at most, however often it is woken.
import type { Timer } from '../timer.ts';

/** Pause between two rounds; longer after a long round, since fewer rounds cost less under load (row ingest/R1). */
const REST_MS = { least: 250, most: 500 };
/** Milliseconds of pause for each millisecond that a round took. */
const REST_FACTOR = 5;
const CONCURRENCY = 4;

/** Calls `work` for woken organisations, in rounds with a pause between them. `work` MUST NOT reject. */
export class Debouncer {
  readonly #timer: Timer;
  readonly #work: (organizationId: string) => Promise<void>;
  readonly #due = new Set<string>();
  readonly #later = new Set<() => void>();
  #cancel: (() => void) | null = null;
  #running: Promise<void> | null = null;
  #restMs = REST_MS.least;
  #isStopped = false;

  constructor(timer: Timer, work: (organizationId: string) => Promise<void>) {
    this.#timer = timer;
    this.#work = work;
  }

  enqueue(organizationId: string): void {
    this.#due.add(organizationId);
    this.#schedule();
  }

  /** Wakes an organisation after `ms` milliseconds; `stop` cancels it. */
  enqueueLater(organizationId: string, ms: number): void {
    const cancel = this.#timer.schedule(ms, () => {
      this.#later.delete(cancel);
      this.enqueue(organizationId);
    });
    this.#later.add(cancel);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    for (const cancel of this.#later) cancel();
    await this.#running;
  }

  #schedule(): void {
    if (this.#isStopped || this.#cancel || this.#running || this.#due.size === 0) return;
    this.#cancel = this.#timer.schedule(this.#restMs, () => {
      this.#cancel = null;
      this.#running = this.#round().finally(() => {
        this.#running = null;
        this.#schedule();
      });
    });
  }

  async #round(): Promise<void> {
    const began = performance.now();
    const queue = [...this.#due];
    this.#due.clear();
    const drainQueue = async () => {
      for (let next = queue.shift(); next !== undefined && !this.#isStopped; next = queue.shift())
        await this.#work(next);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, drainQueue));
    const tookMs = performance.now() - began;
    this.#restMs = Math.min(REST_MS.most, Math.max(REST_MS.least, REST_FACTOR * tookMs));
  }
}
