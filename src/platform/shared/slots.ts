// A non-blocking counting semaphore per key: a caller gets a slot at once, or none.
import type { Release } from '../concurrency/permits.ts';

export interface SlotRequest {
  namespace: string;
  key: string;
  limit: number;
}

export class KeySlots {
  readonly #taken = new Map<string, number>();

  /** Takes a slot of the key; null when all `limit` slots are taken. */
  acquire({ namespace, key, limit }: SlotRequest): Release | null {
    const id = `${namespace} ${key}`;
    const taken = this.#taken.get(id) ?? 0;
    if (taken >= limit) return null;
    this.#taken.set(id, taken + 1);
    let isReleased = false;
    return () => {
      if (!isReleased) this.#release(id);
      isReleased = true;
    };
  }

  #release(id: string): void {
    const left = (this.#taken.get(id) ?? 1) - 1;
    if (left === 0) this.#taken.delete(id);
    else this.#taken.set(id, left);
  }
}
