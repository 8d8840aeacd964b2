// Debounces wake-ups: the work of a key runs a few times a second at most, however often it is woken.
import type { Timer } from './timer.ts';

/** How long a round may run beside others, and how long the pause after it is. */
export interface DebouncerLimits {
  /** Pause between two rounds, in milliseconds; longer after a long round. */
  restMs: { least: number; most: number };
  /** Milliseconds of pause for each millisecond that a round took. */
  restFactor: number;
  /** Keys whose work runs at a time. */
  concurrency: number;
}

/**
 * Calls `work` for woken keys, in rounds with a pause between them.
 * - `work` MUST NOT reject.
 * - MUST NOT run the work of a key twice at a time; a key that is woken during its work has another turn.
 * - After `stop` no work begins.
 */
export class Debouncer {
  readonly #timer: Timer;
  readonly #limits: DebouncerLimits;
  readonly #work: (key: string) => Promise<void>;
  readonly #due = new Set<string>();
  readonly #later = new Set<() => void>();
  #cancel: (() => void) | null = null;
  #running: Promise<void> | null = null;
  #restMs: number;
  #isStopped = false;

  constructor(timer: Timer, limits: DebouncerLimits, work: (key: string) => Promise<void>) {
    this.#timer = timer;
    this.#limits = limits;
    this.#work = work;
    this.#restMs = limits.restMs.least;
  }

  enqueue(key: string): void {
    this.#due.add(key);
    this.#schedule();
  }

  /** Wakes a key after `ms` milliseconds; `stop` cancels it. */
  enqueueLater(key: string, ms: number): void {
    const cancel = this.#timer.schedule(ms, () => {
      this.#later.delete(cancel);
      this.enqueue(key);
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
      this.#running = this.#runRound().finally(() => {
        this.#running = null;
        this.#schedule();
      });
    });
  }

  async #runRound(): Promise<void> {
    const began = this.#timer.elapsed();
    const queue = [...this.#due];
    this.#due.clear();
    const drainQueue = async () => {
      for (let next = queue.shift(); next !== undefined && !this.#isStopped; next = queue.shift())
        await this.#work(next);
    };
    const { concurrency, restFactor, restMs } = this.#limits;
    await Promise.all(Array.from({ length: concurrency }, drainQueue));
    const tookMs = this.#timer.elapsed() - began;
    this.#restMs = Math.min(restMs.most, Math.max(restMs.least, restFactor * tookMs));
  }
}
