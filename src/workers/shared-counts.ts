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
  readonly #tell: SendCounts;
  readonly #workers: number;
  readonly #known = new LRUCache<string, KnownCount>({ max: KNOWN_MAX });
  /** Counts since the last report. */
  #untold = new Map<string, CountRow>();
  /** Counts that were reported and not answered yet. */
  readonly #onTheWay = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(sendCounts: SendCounts, workers: number) {
    this.#tell = sendCounts;
    this.#workers = workers;
  }

  async addHit({ room, key, windowMs, limit, exact }: CountRequest): Promise<WindowCount> {
    const id = `${room} ${key}`;
    const row = this.#untold.get(id);
    if (row) row.count += 1;
    else this.#untold.set(id, { room, key, windowMs, count: 1 });
    const alone = (row?.count ?? 1) + this.#way(id);
    if (exact || alone > Math.floor(limit / (UNREPORTED_PART * this.#workers))) {
      const reported = await this.#tellNow();
      return reported.get(id) as WindowCount;
    }
    this.#timer ??= setTimeout(
      () => void this.#tellNow().catch(() => undefined),
      REPORT_MS,
    ).unref();
    const known = this.#ofAll(id, windowMs);
    return { hits: known.hits + alone, resetMs: known.endsAt - performance.now() };
  }

  #ofAll(id: string, windowMs: number): KnownCount {
    const now = performance.now();
    const known = this.#known.get(id);
    return known && known.endsAt > now ? known : { hits: 0, endsAt: now + windowMs };
  }

  /** Reports all pending counts; resolves with the counts of all workers. */
  async #tellNow(): Promise<Map<string, WindowCount>> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const reported = [...this.#untold];
    this.#untold = new Map();
    for (const [id, { count }] of reported) this.#onTheWay.set(id, this.#way(id) + count);
    try {
      const counts = await this.#tell(reported.map(([, row]) => row));
      return new Map(reported.map(([id], index) => [id, this.#learn(id, counts[index])]));
    } finally {
      for (const [id, { count }] of reported) this.#arrived(id, count);
    }
  }

  #learn(id: string, count: WindowCount | undefined): WindowCount {
    if (!count) throw new Error('a count was not answered');
    this.#known.set(id, { hits: count.hits, endsAt: performance.now() + count.resetMs });
    return count;
  }

  #way(id: string): number {
    return this.#onTheWay.get(id) ?? 0;
  }

  #arrived(id: string, count: number): void {
    const left = this.#way(id) - count;
    if (left === 0) this.#onTheWay.delete(id);
    else this.#onTheWay.set(id, left);
  }
}
