// Repetitions that this process can answer by itself: keys in flight, and the newest ones answered.
import { LRUCache } from 'lru-cache';
import type { Draft, Outcome, Stored } from '../entry.ts';
import { idempotencyKeyText } from './replays.ts';

const REMEMBERED = 1_000;

export interface IdempotencyCacheDeps {
  append: (draft: Draft) => Promise<Outcome>;
  isFresh: (entry: Stored) => boolean;
}

/** Spares collisions; whether a key is taken is decided by the unique index alone. */
export class IdempotencyCache {
  readonly #inFlight = new Map<string, Promise<Outcome>>();
  readonly #recent = new LRUCache<string, Stored>({ max: REMEMBERED });
  readonly #parts: IdempotencyCacheDeps;

  constructor(parts: IdempotencyCacheDeps) {
    this.#parts = parts;
  }

  /** The entry that holds this key, if this process has lately seen it. */
  recent(organizationId: string, once: Buffer | string): Stored | null {
    const entry = this.#recent.get(keyOf(organizationId, once));
    return entry && this.#parts.isFresh(entry) ? entry : null;
  }

  forget(organizationId: string, once: Buffer | string): void {
    this.#recent.delete(keyOf(organizationId, once));
  }

  /** Appends, or answers from an append of the same key that is in flight or was lately answered. */
  async append(draft: Draft): Promise<Outcome> {
    if (draft.once === null) return this.#parts.append(draft);
    const key = keyOf(draft.organizationId, draft.once);
    for (let first = this.#inFlight.get(key); first; first = this.#inFlight.get(key)) {
      const outcome = await first.catch(() => null);
      if (outcome && outcome.kind !== 'superseded') break;
    }
    const entry = this.recent(draft.organizationId, draft.once);
    return entry ? { kind: 'repeated', entry } : this.#first(key, draft);
  }

  async #first(key: string, draft: Draft): Promise<Outcome> {
    const appending = this.#parts.append(draft);
    this.#inFlight.set(key, appending);
    try {
      const outcome = await appending;
      if (outcome.kind !== 'superseded') this.#recent.set(key, outcome.entry);
      return outcome;
    } finally {
      this.#inFlight.delete(key);
    }
  }
}

function keyOf(organizationId: string, once: Buffer | string): string {
  return `${organizationId}:${idempotencyKeyText(once)}`;
}
