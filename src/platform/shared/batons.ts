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

interface Waiting {
  resolve: (baton: Baton) => void;
  onWanted: () => void;
}

/** Who has a baton, and who waits for it. */
interface Held {
  onWanted: () => void;
  waiting: Waiting[];
}

export class Batons implements BatonKeeper {
  readonly #held = new Map<string, Held>();
  readonly #notes = new LRUCache<string, string>({ max: NOTES_MAX });

  /** `onWanted`: is told, while it has the baton, that somebody else waits. */
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
