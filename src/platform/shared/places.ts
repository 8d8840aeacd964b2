// Places that few may have at a time, by key; nobody waits for one.
import type { Release } from '../concurrency/fair-semaphore.ts';

export interface WantedPlace {
  /** Whose keys they are. */
  room: string;
  key: string;
  limit: number;
}

export class TakenPlaces {
  readonly #taken = new Map<string, number>();

  /** Null: there is none left. */
  take({ room, key, limit }: WantedPlace): Release | null {
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
