// A counting semaphore per key: a caller gets a slot at once or within the time that it waits, or none.
import type { Release } from '../concurrency/permits.ts';

export interface SlotRequest {
  namespace: string;
  key: string;
  limit: number;
  /** Milliseconds to wait for a slot where all are taken; absent: none. */
  waitMs?: number;
}

/** Callers of one key that wait at a time; a further one gets no slot. */
const WAITING_MAX = 64;

type Receive = (slot: Release | null) => void;

interface KeyState {
  taken: number;
  /** The first one waits longest. */
  waiting: Set<Receive>;
}

export class KeySlots {
  readonly #states = new Map<string, KeyState>();

  /** Takes a slot of the key; null when all `limit` slots are taken, and stay so for the time of the request. */
  acquire({ namespace, key, limit, waitMs = 0 }: SlotRequest): Promise<Release | null> {
    const id = `${namespace} ${key}`;
    const state = this.#states.get(id) ?? { taken: 0, waiting: new Set() };
    if (state.taken < limit) {
      this.#states.set(id, state);
      state.taken += 1;
      return Promise.resolve(this.#createRelease(id, state));
    }
    if (waitMs === 0 || state.waiting.size >= WAITING_MAX) return Promise.resolve(null);
    return waitInTurn(state, waitMs);
  }

  /** Passes the slot to the caller that waits longest, or frees it. */
  #createRelease(id: string, state: KeyState): Release {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const [next] = state.waiting;
      if (next) return next(this.#createRelease(id, state));
      state.taken -= 1;
      if (state.taken === 0) this.#states.delete(id);
    };
  }
}

function waitInTurn({ waiting }: KeyState, waitMs: number): Promise<Release | null> {
  return new Promise((resolve) => {
    const receive: Receive = (slot) => {
      clearTimeout(timer);
      waiting.delete(receive);
      resolve(slot);
    };
    const timer = setTimeout(() => receive(null), waitMs).unref();
    waiting.add(receive);
  });
}
