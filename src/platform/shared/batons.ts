// One lease per key: held by one caller at a time, first come first served, with a payload from the previous holder.
import { LRUCache } from 'lru-cache';

/** Upper bound on keys without a holder whose payload is kept. */
const NOTES_MAX = 5_000;

export interface Baton {
  /** The payload that the previous holder left; null: none. */
  note: string | null;
  /** Hands the lease to the next waiter. Only the first call counts. */
  pass(note: string | null): void;
}

/** Grants leases by key; callers wait until the holder releases. */
export interface BatonKeeper {
  take(key: string): Promise<Baton>;
}

interface Waiting {
  resolve: (baton: Baton) => void;
  onWanted: () => void;
}

/** The holder of one lease, and the callers that wait for it. */
interface Held {
  onWanted: () => void;
  waiting: Waiting[];
}

export class Batons implements BatonKeeper {
  readonly #held = new Map<string, Held>();
  readonly #notes = new LRUCache<string, string>({ max: NOTES_MAX });

  /** Resolves once the lease is free. The callback runs when another caller waits while this one holds the lease. */
  take(key: string, onWanted = (): void => undefined): Promise<Baton> {
    const held = this.#held.get(key);
    if (held) {
      if (held.waiting.length === 0) held.onWanted();
      return new Promise((resolve) => held.waiting.push({ resolve, onWanted }));
    }
    this.#held.set(key, { onWanted, waiting: [] });
    return Promise.resolve(this.#batonOf(key, this.#notes.get(key) ?? null));
  }

  #batonOf(key: string, note: string | null): Baton {
    let isPassed = false;
    return {
      note,
      pass: (next) => {
        if (!isPassed) this.#pass(key, next);
        isPassed = true;
      },
    };
  }

  #pass(key: string, note: string | null): void {
    if (note === null) this.#notes.delete(key);
    else this.#notes.set(key, note);
    const waiting = this.#held.get(key)?.waiting ?? [];
    const next = waiting.shift();
    if (!next) return void this.#held.delete(key);
    this.#held.set(key, { onWanted: next.onWanted, waiting });
    if (waiting.length > 0) next.onWanted();
    next.resolve(this.#batonOf(key, note));
  }
}
