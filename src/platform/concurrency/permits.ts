// Permits that are freed when their holder returns them or, while others wait, after a time.

/** Returns a permit. Calling it again MUST change nothing. */
export type Release = () => void;

export interface PermitLimits {
  /** Permits that are held at a time. */
  permits: number;
  /**
   * After this time a held permit no longer counts while others wait: its holder waits for a database or another
   * server, not for the processor. Absent: it counts until it is returned.
   */
  slowMs?: number;
}

interface Callers {
  /** Called when a permit is free; may take it for the next caller. */
  onFreed(): void;
  /** Whether a caller waits for a permit. */
  areWaiting(): boolean;
}

interface Holder {
  startedAt: number;
  isCounted: boolean;
}

/**
 * - MUST free the permit of a holder once, whether it is returned or slow, and returned twice.
 * - MUST look for slow holders from `watch` on until no caller waits, and at no other time.
 */
export class Permits {
  readonly #slowMs: number | undefined;
  readonly #callers: Callers;
  /** Counted holders, oldest first. */
  readonly #holders = new Set<Holder>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ slowMs }: Pick<PermitLimits, 'slowMs'>, callers: Callers) {
    this.#slowMs = slowMs;
    this.#callers = callers;
  }

  /** Holders that count. */
  get held(): number {
    return this.#holders.size;
  }

  /** The caller MUST have seen that a permit is left. */
  take(): Release {
    const holder: Holder = { startedAt: performance.now(), isCounted: true };
    this.#holders.add(holder);
    return () => this.#free(holder);
  }

  /** Looks for slow holders: a caller has begun to wait. */
  watch(): void {
    const slowMs = this.#slowMs;
    const [oldest] = this.#holders;
    if (slowMs === undefined || this.#timer || !oldest) return;
    const left = Math.max(1, oldest.startedAt + slowMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const before = performance.now() - slowMs;
      for (const holder of [...this.#holders]) if (holder.startedAt <= before) this.#free(holder);
      if (this.#callers.areWaiting()) this.watch();
    }, left);
  }

  #free(holder: Holder): void {
    if (!holder.isCounted) return;
    holder.isCounted = false;
    this.#holders.delete(holder);
    this.#callers.onFreed();
    if (this.held > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
