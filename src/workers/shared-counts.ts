// A worker's side of shared limits: counts locally, reports ten times a second, and asks once its own count is large.
import { LRUCache } from 'lru-cache';
import type { CountRequest, WindowCount } from '../platform/shared/window-counts.ts';
import type { CountRow } from './messages.ts';

const REPORT_MS = 100;
/** Keys with a known count of all workers; any other begins at this worker's count since its last report. */
const KNOWN_MAX = 50_000;
/** All workers but one together may have passed less than this part of a limit without a report. */
const UNREPORTED_PART = 8;

interface KnownCount {
  hits: number;
  endsAt: number;
}

/** Reports rows to the primary; resolves with the counts of all workers, these included. */
type SendCounts = (rows: readonly CountRow[]) => Promise<WindowCount[]>;

/** Counts of this worker, merged with those of all workers. A limit marked `exact` MUST be asked of the primary. */
export class SharedCounts {
  readonly #sendCounts: SendCounts;
  readonly #workers: number;
  readonly #known = new LRUCache<string, KnownCount>({ max: KNOWN_MAX });
  /** Counts since the last report. */
  #unreported = new Map<string, CountRow>();
  /** Counts that were reported and not answered yet. */
  readonly #inFlight = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(sendCounts: SendCounts, workers: number) {
    this.#sendCounts = sendCounts;
    this.#workers = workers;
  }

  async addHits({
    namespace,
    key,
    windowMs,
    limit,
    exact,
    hits = 1,
  }: CountRequest): Promise<WindowCount> {
    const id = `${namespace} ${key}`;
    const row = this.#unreported.get(id);
    if (row) row.count += hits;
    else this.#unreported.set(id, { namespace, key, windowMs, count: hits });
    const own = (row?.count ?? hits) + this.#countInFlight(id);
    if (exact || own > Math.floor(limit / (UNREPORTED_PART * this.#workers))) {
      const reported = await this.#report();
      return reported.get(id) as WindowCount;
    }
    this.#timer ??= setTimeout(() => void this.#report().catch(() => undefined), REPORT_MS).unref();
    const known = this.#readKnown(id, windowMs);
    return { hits: known.hits + own, resetMs: known.endsAt - performance.now() };
  }

  #readKnown(id: string, windowMs: number): KnownCount {
    const now = performance.now();
    const known = this.#known.get(id);
    return known && known.endsAt > now ? known : { hits: 0, endsAt: now + windowMs };
  }

  /** Reports all pending counts; resolves with the counts of all workers. */
  async #report(): Promise<Map<string, WindowCount>> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const reported = [...this.#unreported];
    this.#unreported = new Map();
    for (const [id, { count }] of reported) this.#addInFlight(id, count);
    try {
      const counts = await this.#sendCounts(reported.map(([, row]) => row));
      return new Map(reported.map(([id], index) => [id, this.#keepKnown(id, counts[index])]));
    } finally {
      for (const [id, { count }] of reported) this.#addInFlight(id, -count);
    }
  }

  #keepKnown(id: string, count: WindowCount | undefined): WindowCount {
    if (!count) throw new Error('a count was not answered');
    this.#known.set(id, { hits: count.hits, endsAt: performance.now() + count.resetMs });
    return count;
  }

  #countInFlight(id: string): number {
    return this.#inFlight.get(id) ?? 0;
  }

  #addInFlight(id: string, change: number): void {
    const count = this.#countInFlight(id) + change;
    if (count === 0) this.#inFlight.delete(id);
    else this.#inFlight.set(id, count);
  }
}
