// A worker's batons: it keeps one that nobody else wants, so that whoever is alone at a chain asks the primary once (row workers).
import { LRUCache } from 'lru-cache';
import type { KeyLease, KeyLeaseProvider } from '../platform/shared/batons.ts';
import type { GrantedBaton } from './messages.ts';

const KEPT_MAX = 5_000;

/** The primary. */
export interface BatonDesk {
  take(key: string): Promise<GrantedBaton>;
  leave(hold: number, note: string | null): void;
}

interface Kept {
  key: string;
  hold: number;
  note: string | null;
  isWanted: boolean;
}

export class KeptBatons implements KeyLeaseProvider {
  readonly #desk: BatonDesk;
  /** By key: those that nobody uses. */
  readonly #idle = new LRUCache<string, Kept>({
    max: KEPT_MAX,
    dispose: (kept, _key, reason) => {
      if (reason !== 'delete') this.#leave(kept);
    },
  });
  /** By hold: all that are here, used or not. */
  readonly #all = new Map<number, Kept>();

  constructor(desk: BatonDesk) {
    this.#desk = desk;
  }

  async acquire(key: string): Promise<KeyLease> {
    const idle = this.#idle.get(key);
    if (idle) {
      this.#idle.delete(key);
      return this.#used(idle);
    }
    const { hold, note, isWanted } = await this.#desk.take(key);
    if (hold === null) return { payload: note, release: () => undefined };
    const kept = { key, hold, note, isWanted };
    this.#all.set(hold, kept);
    return this.#used(kept);
  }

  /** Somebody else waits for it. What came together with that message has been seen to by then. */
  wanted(hold: number): void {
    setImmediate(() => this.#giveUp(hold));
  }

  #giveUp(hold: number): void {
    const kept = this.#all.get(hold);
    if (!kept) return;
    kept.isWanted = true;
    if (this.#idle.delete(kept.key)) this.#leave(kept);
  }

  #used(kept: Kept): KeyLease {
    let isPassed = false;
    return {
      payload: kept.note,
      release: (note) => {
        if (isPassed) return;
        isPassed = true;
        kept.note = note;
        if (kept.isWanted) this.#leave(kept);
        else this.#idle.set(kept.key, kept);
      },
    };
  }

  #leave({ hold, note }: Kept): void {
    this.#all.delete(hold);
    this.#desk.leave(hold, note);
  }
}
