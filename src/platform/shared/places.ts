// A non-blocking counting semaphore per key: a caller gets a slot at once, or none.
import type { Release } from '../concurrency/fair-semaphore.ts';

export interface SlotRequest {
  /** Namespace of the key. */
  room: string;
  key: string;
  limit: number;
}

export class OccupiedSlots {
  readonly #taken = new Map<string, number>();

  /** Takes a slot; null when all `limit` slots are taken. */
  acquire({ room, key, limit }: SlotRequest): Release | null {
    const id = `${room} ${key}`;
    const taken = this.#taken.get(id) ?? 0;
    if (taken >= limit) return null;
    this.#taken.set(id, taken + 1);
    return () => this.#leave(id);
  }

  #leave(id: string): void {
    const left = (this.#taken.get(id) ?? 1) - 1;
    if (left === 0) this.#taken.delete(id);
    else this.#taken.set(id, left);
  }
}
