// Avoids conflicts on idempotency keys: those of appends in flight, and of the most recent ones.
import { LRUCache } from 'lru-cache';
import type { Draft, Outcome, Stored } from '../entry.ts';
import { toKeyText } from './idempotent-replays.ts';
import { limitEntries } from '../../domain/entry-limit.ts';

type Key = Buffer | string;

/** A read of the entries of several keys, which others may still join. */
interface SharedRead {
  keys: Key[];
  found: Promise<ReadonlyMap<string, Stored>>;
}

/** Keys that are kept; one takes about 150 bytes. */
const KEPT_KEYS = 20_000;

export interface IdempotencyCacheDeps {
  append: (draft: Draft) => Promise<Outcome>;
  /** Reads the entries that answer replays, by the text of their keys; those of free keys are missing. */
  findReplays: (
    organizationId: string,
    idempotencyKeys: readonly Key[],
  ) => Promise<ReadonlyMap<string, Stored>>;
  /** Upper bound on the keys kept. */
  keys?: number;
}

/**
 * Remembers which keys were used, and nothing of the answers: another instance may have erased them since.
 * It MUST NOT decide whether a key is free: only the unique index does.
 */
export class IdempotencyCache {
  readonly #inFlight = new Map<string, Promise<Outcome>>();
  readonly #used: LRUCache<string, true>;
  /** Reads that begin after this turn, by organisation. */
  readonly #reads = new Map<string, SharedRead>();
  readonly #deps: IdempotencyCacheDeps;

  constructor(deps: IdempotencyCacheDeps) {
    this.#deps = deps;
    this.#used = new LRUCache<string, true>(limitEntries(deps.keys ?? KEPT_KEYS));
  }

  /** Keys kept. */
  get size(): number {
    return this.#used.size;
  }

  /** Appends, or answers with the entry of an append with the same key that is in flight or recent. */
  append(draft: Draft): Promise<Outcome> {
    const { organizationId, idempotencyKey } = draft;
    if (idempotencyKey === null) return this.#deps.append(draft);
    const cacheKey = `${organizationId}:${toKeyText(idempotencyKey)}`;
    const first = this.#inFlight.get(cacheKey);
    if (first) return this.#appendAfter(first, draft);
    if (this.#used.has(cacheKey)) return this.#answer(draft, idempotencyKey);
    return this.#appendFirst(cacheKey, draft);
  }

  /** Appends once the append in flight with the same key is settled. */
  async #appendAfter(first: Promise<Outcome>, draft: Draft): Promise<Outcome> {
    await first.catch(() => null);
    return this.append(draft);
  }

  async #answer(draft: Draft, idempotencyKey: Key): Promise<Outcome> {
    const found = await this.#readTogether(draft.organizationId, idempotencyKey);
    const entry = found.get(toKeyText(idempotencyKey));
    return entry ? { kind: 'repeated', entry } : this.#deps.append(draft);
  }

  /** Reads what is asked for in one turn with one query: a batch may repeat a hundred decisions. */
  #readTogether(organizationId: string, key: Key): SharedRead['found'] {
    const open = this.#reads.get(organizationId);
    if (open) {
      open.keys.push(key);
      return open.found;
    }
    const keys = [key];
    const found = Promise.resolve().then(() => {
      this.#reads.delete(organizationId);
      return this.#deps.findReplays(organizationId, keys);
    });
    this.#reads.set(organizationId, { keys, found });
    return found;
  }

  async #appendFirst(cacheKey: string, draft: Draft): Promise<Outcome> {
    const appending = this.#deps.append(draft);
    this.#inFlight.set(cacheKey, appending);
    try {
      const outcome = await appending;
      if ('entry' in outcome) this.#used.set(cacheKey, true);
      return outcome;
    } finally {
      this.#inFlight.delete(cacheKey);
    }
  }
}
