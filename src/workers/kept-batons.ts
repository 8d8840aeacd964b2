// A worker's batons: it keeps one that nobody else wants, so that whoever is alone at a chain asks the primary once (row workers).
import { LRUCache } from 'lru-cache';
import type { Baton, BatonKeeper } from '../platform/shared/batons.ts';

const KEPT_MAX = 5_000;

/** A baton that the primary has given. */
export interface Given {
  /** By which it is given back; null: there is nothing to give back. */
  hold: number | null;
  note: string | null;
  /** Somebody else wants it already. */
  isWanted: boolean;
}

/** The primary. */
export interface BatonDesk {
  take(key: string): Promise<Given>;
  leave(hold: number, note: string | null): void;
}

interface Kept {
  hold: number;
  note: string | null;
  inUse: boolean;
  isWanted: boolean;
}

export class KeptBatons implements BatonKeeper {
  readonly #desk: BatonDesk;
  /** By key: those that nobody uses. */
  readonly #idle = new LRUCache<string, Kept>({
    max: KEPT_MAX,
    dispose: (kept, _key, reason) => {
      if (reason !== 'delete') this.#leave(kept);
    },
  });
  readonly #all = new Map<number, { key: string; kept: Kept }>();

  constructor(desk: BatonDesk) {
    this.#desk = desk;
  }

  async take(key: string): Promise<Baton> {
    const idle = this.#idle.get(key);
    if (idle) {
      this.#idle.delete(key);
      return this.#used(key, idle);
    }
    const { hold, note, isWanted } = await this.#desk.take(key);
    if (hold === null) return { note, pass: () => undefined };
    const kept = { hold, note, inUse: true, isWanted };
    this.#all.set(hold, { key, kept });
    return this.#used(key, kept);
  }

  /** Somebody else waits for it. What came together with that message has been seen to by then. */
  wanted(hold: number): void {
    setImmediate(() => this.#giveUp(hold));
  }

  #giveUp(hold: number): void {
    const known = this.#all.get(hold);
    if (!known) return;
    const { key, kept } = known;
    kept.isWanted = true;
    if (kept.inUse) return;
    this.#idle.delete(key);
    this.#leave(kept);
  }

  #used(key: string, kept: Kept): Baton {
    kept.inUse = true;
    let isPassed = false;
    return {
      note: kept.note,
      pass: (note) => {
        if (isPassed) return;
        isPassed = true;
        kept.inUse = false;
        kept.note = note;
        if (kept.isWanted) this.#leave(kept);
        else this.#idle.set(key, kept);
      },
    };
  }

  #leave({ hold, note }: Kept): void {
    this.#all.delete(hold);
    this.#desk.leave(hold, note);
  }
}
