// Bounds how many entries of one share run at a time, so that a share with many does not crowd out the others.
import type { Release } from './fair-semaphore.ts';

interface GateLimits {
  /** Running entries of one share. */
  permits: number;
  /** After this time a running entry no longer counts: it waits for a database or another server, not for the processor. */
  slowMs: number;
}

interface Entry {
  startedAt: number;
  isCounted: boolean;
}

interface Share {
  /** Counted entries, oldest first. */
  running: Set<Entry>;
  waiting: ((release: Release) => void)[];
  timer: NodeJS.Timeout | undefined;
}

/**
 * - At most `permits` counted entries of a share run at a time. MUST admit further ones in their order.
 * - MUST NOT let an entry wait for another share.
 * - Holds nothing for a share without entries.
 */
export class ShareGate {
  readonly #limits: GateLimits;
  readonly #shares = new Map<string, Share>();

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  /** Admits at once while the share has a permit left. */
  enter(name: string): Release | Promise<Release> {
    let share = this.#shares.get(name);
    if (!share) this.#shares.set(name, (share = createShare()));
    if (share.running.size < this.#limits.permits) return this.#admit(name, share);
    const { waiting } = share;
    const admitted = new Promise<Release>((resolve) => waiting.push(resolve));
    this.#watch(name, share);
    return admitted;
  }

  /** Shares with entries. */
  get size(): number {
    return this.#shares.size;
  }

  #admit(name: string, share: Share): Release {
    const entry: Entry = { startedAt: performance.now(), isCounted: true };
    share.running.add(entry);
    return () => {
      if (entry.isCounted) this.#uncount(name, share, entry);
    };
  }

  #uncount(name: string, share: Share, entry: Entry): void {
    entry.isCounted = false;
    share.running.delete(entry);
    share.waiting.shift()?.(this.#admit(name, share));
    if (share.running.size > 0) return;
    clearTimeout(share.timer);
    this.#shares.delete(name);
  }

  /** Checks for slow entries while others wait. */
  #watch(name: string, share: Share): void {
    const [oldest] = share.running;
    if (share.timer || !oldest) return;
    const left = Math.max(1, oldest.startedAt + this.#limits.slowMs - performance.now());
    share.timer = setTimeout(() => {
      share.timer = undefined;
      const before = performance.now() - this.#limits.slowMs;
      for (const entry of [...share.running])
        if (entry.startedAt <= before) this.#uncount(name, share, entry);
      if (share.waiting.length > 0) this.#watch(name, share);
    }, left);
  }
}

const createShare = (): Share => ({ running: new Set(), waiting: [], timer: undefined });
