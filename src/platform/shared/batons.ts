// One baton for each key: it has one holder at a time, in the order of asking, and goes on with a note from the one before.
import { LRUCache } from 'lru-cache';

/** Keys without a holder whose note is kept. */
const NOTES_MAX = 5_000;

export interface Baton {
  /** Of the holder before; null: there is none. */
  note: string | null;
  /** Passes it on, once. */
  pass(note: string | null): void;
}

/** Holds batons back for whoever asks. */
export interface BatonKeeper {
  take(key: string): Promise<Baton>;
}

type Waiting = (baton: Baton) => void;

export class Batons implements BatonKeeper {
  /** Who waits for those that have a holder. */
  readonly #held = new Map<string, Waiting[]>();
  readonly #notes = new LRUCache<string, string>({ max: NOTES_MAX });

  take(key: string): Promise<Baton> {
    const waiting = this.#held.get(key);
    if (waiting) return new Promise((resolve) => waiting.push(resolve));
    this.#held.set(key, []);
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
    const next = this.#held.get(key)?.shift();
    if (next) next(this.#batonOf(key, note));
    else this.#held.delete(key);
  }
}
