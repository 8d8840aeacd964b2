// Answers replays from memory: idempotency keys in flight, and the most recently answered ones.
import { LRUCache } from 'lru-cache';
import type { Draft, Outcome, Stored } from '../entry.ts';
import { toKeyText } from './idempotent-replays.ts';
import { estimateBytes, createPartCopier } from '../entry-parts.ts';

/** Enough for some thousands of ordinary answers. */
export const CACHE_BYTES = 4 * 1024 * 1024;

export interface IdempotencyCacheDeps {
  append: (draft: Draft) => Promise<Outcome>;
  isFresh: (entry: Stored) => boolean;
  /** The entry members to keep, by dotted path. */
  replayed: readonly string[];
  /** Upper bound on the bytes kept. */
  bytes?: number;
}

/** Avoids conflicts on known keys. It MUST NOT decide whether a key is free: only the unique index does. */
export class IdempotencyCache {
  readonly #inFlight = new Map<string, Promise<Outcome>>();
  readonly #recent: LRUCache<string, Stored>;
  readonly #deps: IdempotencyCacheDeps;
  readonly #answerOf: (entry: Stored) => Stored;

  constructor(deps: IdempotencyCacheDeps) {
    this.#deps = deps;
    this.#answerOf = createPartCopier(deps.replayed);
    this.#recent = new LRUCache<string, Stored>({
      maxSize: deps.bytes ?? CACHE_BYTES,
      sizeCalculation: estimateBytes,
    });
  }

  /** Bytes kept. */
  get bytes(): number {
    return this.#recent.calculatedSize;
  }

  /** Returns the cached entry with this key; null when there is none or its key has expired. */
  getCached(organizationId: string, idempotencyKey: Buffer | string): Stored | null {
    return this.#fresh(toCacheKey(organizationId, idempotencyKey));
  }

  forget(organizationId: string, idempotencyKey: Buffer | string): void {
    this.#recent.delete(toCacheKey(organizationId, idempotencyKey));
  }

  /** Appends, or answers from an append with the same key that is in flight or cached. */
  append(draft: Draft): Promise<Outcome> {
    const { organizationId, idempotencyKey } = draft;
    if (idempotencyKey === null) return this.#deps.append(draft);
    const cacheKey = toCacheKey(organizationId, idempotencyKey);
    const first = this.#inFlight.get(cacheKey);
    return first ? this.#appendAfter(first, cacheKey, draft) : this.#answer(cacheKey, draft);
  }

  /** Appends once the append in flight with the same key is settled. */
  async #appendAfter(first: Promise<Outcome>, cacheKey: string, draft: Draft): Promise<Outcome> {
    const outcome = await first.catch(() => null);
    const hasAnswer = outcome !== null && outcome.kind !== 'superseded';
    return hasAnswer ? this.#answer(cacheKey, draft) : this.append(draft);
  }

  #answer(cacheKey: string, draft: Draft): Promise<Outcome> {
    const entry = this.#fresh(cacheKey);
    return entry
      ? Promise.resolve({ kind: 'repeated', entry })
      : this.#appendFirst(cacheKey, draft);
  }

  #fresh(cacheKey: string): Stored | null {
    const entry = this.#recent.get(cacheKey);
    return entry && this.#deps.isFresh(entry) ? entry : null;
  }

  async #appendFirst(cacheKey: string, draft: Draft): Promise<Outcome> {
    const appending = this.#deps.append(draft);
    this.#inFlight.set(cacheKey, appending);
    try {
      const outcome = await appending;
      if (outcome.kind !== 'superseded') this.#recent.set(cacheKey, this.#answerOf(outcome.entry));
      return outcome;
    } finally {
      this.#inFlight.delete(cacheKey);
    }
  }
}

function toCacheKey(organizationId: string, idempotencyKey: Buffer | string): string {
  return `${organizationId}:${toKeyText(idempotencyKey)}`;
}
