// A worker's side of the limits: it counts by itself, tells the primary ten times a second, and asks before it has let much through alone.
import { LRUCache } from 'lru-cache';
import type { Counted, WindowCount } from '../platform/shared/window-counts.ts';
import type { CountRow } from './messages.ts';

const TELL_MS = 100;
/** Keys whose counts by all workers are known here; others begin at what this one has counted since it last told. */
const KNOWN_MAX = 50_000;
/** What all workers but one may have let through untold, together: less than this part of a limit. */
const UNTOLD_PART = 8;

interface Known {
  hits: number;
  endsAt: number;
}

/** Sends rows to the primary; resolves with the counts of all workers, these included. */
type Tell = (rows: readonly CountRow[]) => Promise<WindowCount[]>;

export class SharedCounts {
  readonly #tell: Tell;
  readonly #workers: number;
  readonly #known = new LRUCache<string, Known>({ max: KNOWN_MAX });
  /** Counted here since the primary was told. */
  #untold = new Map<string, CountRow>();
  /** Told, and not answered yet. */
  readonly #onTheWay = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(tell: Tell, workers: number) {
    this.#tell = tell;
    this.#workers = workers;
  }

  async add({ room, key, windowMs, limit, exact }: Counted): Promise<WindowCount> {
    const id = `${room} ${key}`;
    const row = this.#untold.get(id);
    if (row) row.count += 1;
    else this.#untold.set(id, { room, key, windowMs, count: 1 });
    const alone = (row?.count ?? 1) + this.#way(id);
    if (exact || alone > Math.floor(limit / (UNTOLD_PART * this.#workers))) {
      const told = await this.#tellNow();
      return told.get(id) as WindowCount;
    }
    this.#timer ??= setTimeout(() => void this.#tellNow().catch(() => undefined), TELL_MS).unref();
    const known = this.#ofAll(id, windowMs);
    return { hits: known.hits + alone, resetMs: known.endsAt - performance.now() };
  }

  #ofAll(id: string, windowMs: number): Known {
    const now = performance.now();
    const known = this.#known.get(id);
    return known && known.endsAt > now ? known : { hits: 0, endsAt: now + windowMs };
  }

  /** Resolves with the counts of what was untold. */
  async #tellNow(): Promise<Map<string, WindowCount>> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const told = [...this.#untold];
    this.#untold = new Map();
    for (const [id, { count }] of told) this.#onTheWay.set(id, this.#way(id) + count);
    try {
      const counts = await this.#tell(told.map(([, row]) => row));
      return new Map(told.map(([id], index) => [id, this.#learn(id, counts[index])]));
    } finally {
      for (const [id, { count }] of told) this.#arrived(id, count);
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
