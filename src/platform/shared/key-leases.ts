// One lease per key: held by one caller at a time, first come first served, with a payload from the previous holder.
import { LRUCache } from 'lru-cache';
import { limitEntries } from '../../domain/entry-limit.ts';

/** Upper bound on keys whose payload is remembered. */
const PAYLOADS_MAX = 5_000;

export interface KeyLease {
  /** The payload that the previous holder left; null: none. */
  payload: string | null;
  /** Hands the lease to the next waiter. Only the first call counts. */
  release(payload: string | null): void;
}

/** Grants leases by key. */
export interface KeyLeaseProvider {
  /** Resolves once no other caller holds the lease. */
  acquire(key: string): Promise<KeyLease>;
}

type Grant = (lease: KeyLease) => void;

export class KeyLeases implements KeyLeaseProvider {
  /** The waiters of every held lease, in order of arrival. */
  readonly #waiting = new Map<string, Grant[]>();
  readonly #payloads = new LRUCache<string, string>(limitEntries(PAYLOADS_MAX));

  acquire(key: string): Promise<KeyLease> {
    const waiting = this.#waiting.get(key);
    if (waiting) return new Promise((resolve) => waiting.push(resolve));
    this.#waiting.set(key, []);
    return Promise.resolve(this.#createLease(key));
  }

  #createLease(key: string): KeyLease {
    let isReleased = false;
    return {
      payload: this.#payloads.get(key) ?? null,
      release: (payload) => {
        if (!isReleased) this.#passOn(key, payload);
        isReleased = true;
      },
    };
  }

  #passOn(key: string, payload: string | null): void {
    if (payload === null) this.#payloads.delete(key);
    else this.#payloads.set(key, payload);
    const grant = this.#waiting.get(key)?.shift();
    if (grant) grant(this.#createLease(key));
    else this.#waiting.delete(key);
  }
}
