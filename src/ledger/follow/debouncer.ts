// Debounces wake-ups: however often an organisation is woken, its work runs a few times a second at most.
import type { Timer } from '../timer.ts';

/** A round rests this long, and longer after one that took long: what much is done for costs less in fewer rounds (row ingest/R1). */
const REST_MS = { least: 250, most: 500 };
/** For each millisecond that a round took. */
const REST_FACTOR = 5;
const CONCURRENCY = 4;

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

  wake(organizationId: string): void {
    this.#due.add(organizationId);
    this.#schedule();
  }

  /** Wakes it after a pause; `stop` cancels it. */
  wakeLater(organizationId: string, ms: number): void {
    const cancel = this.#timer.after(ms, () => {
      this.#later.delete(cancel);
      this.wake(organizationId);
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
    this.#cancel = this.#timer.after(this.#restMs, () => {
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
    const worker = async () => {
      for (let next = queue.shift(); next !== undefined && !this.#isStopped; next = queue.shift())
        await this.#work(next);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    const tookMs = performance.now() - began;
    this.#restMs = Math.min(REST_MS.most, Math.max(REST_MS.least, REST_FACTOR * tookMs));
  }
}
