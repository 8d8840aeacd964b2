// Bounds how many entries of one share run at a time, so that a share with many does not crowd out the others.
import { type PermitLimits, Permits, type Release } from './permits.ts';

export interface ShareLimits extends PermitLimits {
  /** Permits of each share while several shares enter; at most `permits`. */
  besideOthers: number;
}

interface Share {
  permits: Permits;
  waiting: ((release: Release) => void)[];
}

/** Shares that enter within this time are beside each other. */
const BESIDE_MS = 1000;

/**
 * - At most `permits` counted entries of a share run at a time. While several shares enter, a further one waits until
 *   fewer than `besideOthers` run. MUST admit them in their order.
 * - MUST NOT let an entry wait for another share.
 * - Holds nothing for a share without entries.
 */
export class ShareGate {
  readonly #limits: ShareLimits;
  readonly #shares = new Map<string, Share>();
  #newest: string | null = null;
  /** When a share last entered after another one. */
  #changedAt = -Infinity;

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** Admits at once while the share has a permit left. */
  enter(name: string): Release | Promise<Release> {
    this.#note(name);
    const share = this.#shares.get(name) ?? this.#createShare(name);
    if (share.permits.held < this.#permits) return share.permits.take();
    const admitted = new Promise<Release>((resolve) => share.waiting.push(resolve));
    share.permits.watch();
    return admitted;
  }

  /** Shares with entries. */
  get size(): number {
    return this.#shares.size;
  }

  get #permits(): number {
    const areSeveral = performance.now() - this.#changedAt < BESIDE_MS;
    return areSeveral ? this.#limits.besideOthers : this.#limits.permits;
  }

  #note(name: string): void {
    if (this.#newest !== null && name !== this.#newest) this.#changedAt = performance.now();
    this.#newest = name;
  }

  #createShare(name: string): Share {
    const waiting: Share['waiting'] = [];
    const permits = new Permits(this.#limits, {
      onFreed: () => this.#admitNext(name, share),
      areWaiting: () => waiting.length > 0,
    });
    const share: Share = { permits, waiting };
    this.#shares.set(name, share);
    return share;
  }

  #admitNext(name: string, { permits, waiting }: Share): void {
    while (permits.held < this.#permits) {
      const admit = waiting.shift();
      if (!admit) break;
      admit(permits.take());
    }
    if (permits.held === 0) this.#shares.delete(name);
  }
}
