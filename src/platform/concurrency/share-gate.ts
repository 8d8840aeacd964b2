// Bounds how many entries of one share run at a time, so that a share with many does not crowd out the others.
import { type PermitLimits, Permits, type Release } from './permits.ts';

interface Share {
  permits: Permits;
  waiting: ((release: Release) => void)[];
}

/**
 * - At most `permits` counted entries of a share run at a time. MUST admit further ones in their order.
 * - MUST NOT let an entry wait for another share.
 * - Holds nothing for a share without entries.
 */
export class ShareGate {
  readonly #limits: PermitLimits;
  readonly #shares = new Map<string, Share>();

  constructor(limits: PermitLimits) {
    this.#limits = limits;
  }

  /** Admits at once while the share has a permit left. */
  enter(name: string): Release | Promise<Release> {
    const share = this.#shares.get(name) ?? this.#createShare(name);
    if (share.permits.areLeft) return share.permits.take();
    const admitted = new Promise<Release>((resolve) => share.waiting.push(resolve));
    share.permits.watch();
    return admitted;
  }

  /** Shares with entries. */
  get size(): number {
    return this.#shares.size;
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
    waiting.shift()?.(permits.take());
    if (permits.areIdle) this.#shares.delete(name);
  }
}
