// One lease per key: held by one caller at a time, first come first served, with a payload from the previous holder.
import { LRUCache } from 'lru-cache';

/** Upper bound on keys without a holder whose payload is kept. */
const NOTES_MAX = 5_000;

export interface KeyLease {
  /** The payload that the previous holder left; null: none. */
  payload: string | null;
  /** Hands the lease to the next waiter. Only the first call counts. */
  release(payload: string | null): void;
}

/** Grants leases by key; callers wait until the holder releases. */
export interface KeyLeaseProvider {
  acquire(key: string): Promise<KeyLease>;
}

interface WaitingHolder {
  resolve: (baton: KeyLease) => void;
  onRevokeRequest: () => void;
}

/** The holder of one lease, and the callers that wait for it. */
interface LeaseState {
  onRevokeRequest: () => void;
  waiting: WaitingHolder[];
}

export class KeyLeases implements KeyLeaseProvider {
  readonly #held = new Map<string, LeaseState>();
  readonly #notes = new LRUCache<string, string>({ max: NOTES_MAX });

  /** Resolves once the lease is free. The callback runs when another caller waits while this one holds the lease. */
  acquire(key: string, onRevokeRequest = (): void => undefined): Promise<KeyLease> {
    const held = this.#held.get(key);
    if (held) {
      if (held.waiting.length === 0) held.onRevokeRequest();
      return new Promise((resolve) => held.waiting.push({ resolve, onRevokeRequest }));
    }
    this.#held.set(key, { onRevokeRequest, waiting: [] });
    return Promise.resolve(this.#createLease(key, this.#notes.get(key) ?? null));
  }

  #createLease(key: string, payload: string | null): KeyLease {
    let isPassed = false;
    return {
      payload,
      release: (next) => {
        if (!isPassed) this.#pass(key, next);
        isPassed = true;
      },
    };
  }

  #pass(key: string, payload: string | null): void {
    if (payload === null) this.#notes.delete(key);
    else this.#notes.set(key, payload);
    const waiting = this.#held.get(key)?.waiting ?? [];
    const next = waiting.shift();
    if (!next) return void this.#held.delete(key);
    this.#held.set(key, { onRevokeRequest: next.onRevokeRequest, waiting });
    if (waiting.length > 0) next.onRevokeRequest();
    next.resolve(this.#createLease(key, payload));
  }
}
