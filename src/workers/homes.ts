// Which worker an organisation has its home at: the one whose connections post its decisions, so that its batches are whole (rows workers, four-workers).
import { LRUCache } from 'lru-cache';

const HOMES_MAX = 50_000;
/** An organisation that nobody asks about is forgotten: workers ask once a minute about those that post. */
const FORGOTTEN_MS = 300_000;

export class Homes {
  readonly #counts = new Map<number, number>();
  readonly #homes: LRUCache<string, number>;
  readonly #forgottenMs: number;
  #forgotAt = 0;

  constructor(forgottenMs = FORGOTTEN_MS) {
    this.#forgottenMs = forgottenMs;
    this.#homes = new LRUCache({
      max: HOMES_MAX,
      ttl: forgottenMs,
      updateAgeOnGet: true,
      dispose: (worker) => this.#count(worker, -1),
    });
  }

  /**
   * The home of an organisation among the workers that serve; a new one is with the worker that has the fewest, the one that asks first.
   * While its home is replaced, an organisation stays with whoever asks.
   */
  of(organizationId: string, asking: number, workers: readonly number[]): number {
    const known = this.#homes.get(organizationId);
    if (known !== undefined) return workers.includes(known) ? known : asking;
    this.#forget();
    const home = workers.reduce(
      (best, one) => (this.#of(one) < this.#of(best) ? one : best),
      asking,
    );
    this.#homes.set(organizationId, home);
    this.#count(home, 1);
    return home;
  }

  /** Those that are due, now and then: looking takes as long as there are homes. */
  #forget(): void {
    const now = performance.now();
    if (now - this.#forgotAt < this.#forgottenMs / 10) return;
    this.#forgotAt = now;
    this.#homes.purgeStale();
  }

  #of(worker: number): number {
    return this.#counts.get(worker) ?? 0;
  }

  #count(worker: number, more: number): void {
    this.#counts.set(worker, this.#of(worker) + more);
  }
}
