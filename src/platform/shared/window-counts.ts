// Fixed-window counters by key: a window begins with its first count, and ended windows are dropped.

/** One count; the caller compares it with `limit`. */
export interface CountRequest {
  namespace: string;
  key: string;
  windowMs: number;
  limit: number;
  /** How many to count; absent: one. */
  hits?: number;
  /** Whether the limit holds exactly across all workers, at the cost of a call to the primary. */
  exact: boolean;
}

export type CountKey = Pick<CountRequest, 'namespace' | 'key' | 'windowMs'>;

export interface WindowCount {
  /** Counts in the window so far, this one included. */
  hits: number;
  /** Milliseconds until the window ends. */
  resetMs: number;
}

interface Window {
  hits: number;
  endsAt: number;
}

/** The windows of one namespace. */
class NamespaceWindows {
  readonly #windowMs: number;
  #newer = new Map<string, Window>();
  #older = new Map<string, Window>();
  #rotatesAt = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  increment(key: string, count: number, now: number): WindowCount {
    this.#forget(now);
    const known = this.#newer.get(key) ?? this.#older.get(key);
    const window = known && known.endsAt > now ? known : { hits: 0, endsAt: now + this.#windowMs };
    window.hits += count;
    this.#newer.set(key, window);
    return { hits: window.hits, resetMs: window.endsAt - now };
  }

  /** Drops windows that were untouched for a whole window length, since they have ended. */
  #forget(now: number): void {
    if (now < this.#rotatesAt) return;
    this.#older = now < this.#rotatesAt + this.#windowMs ? this.#newer : new Map();
    this.#newer = new Map();
    this.#rotatesAt = now + this.#windowMs;
  }
}

export class WindowCounts {
  readonly #namespaces = new Map<string, NamespaceWindows>();

  /** `now`: milliseconds of a monotonic clock. */
  increment({ namespace, key, windowMs }: CountKey, count: number, now: number): WindowCount {
    let windows = this.#namespaces.get(namespace);
    if (!windows) this.#namespaces.set(namespace, (windows = new NamespaceWindows(windowMs)));
    return windows.increment(key, count, now);
  }
}
