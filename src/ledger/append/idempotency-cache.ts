// Replays that this process can answer by itself: idempotency keys in flight, and the newest ones answered.
import type { Draft, Outcome, Stored } from '../entry.ts';
import { idempotencyKeyText } from './idempotent-replays.ts';
import { bytesHeld, partsBy } from '../entry-parts.ts';

/** Some thousands of ordinary answers. What they hold of a decision is small, and counted all the same. */
export const CACHE_BYTES = 4 * 1024 * 1024;

export interface IdempotencyCacheDeps {
  append: (draft: Draft) => Promise<Outcome>;
  isFresh: (entry: Stored) => boolean;
  /** The members that are kept, by dotted path. */
  replayed: readonly string[];
  /** Bytes of all that is kept. */
  bytes?: number;
}

interface Remembered {
  entry: Stored;
  bytes: number;
}

/** Spares conflicts; whether a key is taken is decided by the unique index alone. */
export class IdempotencyCache {
  readonly #inFlight = new Map<string, Promise<Outcome>>();
  /** The oldest first. Counting uses, as a library's cache does, takes 5 us a decision (row ingest/R1). */
  readonly #recent = new Map<string, Remembered>();
  readonly #bytesMax: number;
  #bytes = 0;
  readonly #deps: IdempotencyCacheDeps;
  readonly #answerOf: (entry: Stored) => Stored;

  constructor(deps: IdempotencyCacheDeps) {
    this.#deps = deps;
    this.#answerOf = partsBy(deps.replayed);
    this.#bytesMax = deps.bytes ?? CACHE_BYTES;
  }

  /** Bytes kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The cached entry with this key; null when there is none, or it has expired. */
  recent(organizationId: string, idempotencyKey: Buffer | string): Stored | null {
    return this.#fresh(cacheKeyOf(organizationId, idempotencyKey));
  }

  forget(organizationId: string, idempotencyKey: Buffer | string): void {
    this.#drop(cacheKeyOf(organizationId, idempotencyKey));
  }

  /** Appends, or answers from an append with the same key that is in flight or cached. */
  append(draft: Draft): Promise<Outcome> {
    const { organizationId, idempotencyKey } = draft;
    if (idempotencyKey === null) return this.#deps.append(draft);
    const cacheKey = cacheKeyOf(organizationId, idempotencyKey);
    const first = this.#inFlight.get(cacheKey);
    return first ? this.#appendAfter(first, cacheKey, draft) : this.#answer(cacheKey, draft);
  }

  /** Once what is in flight with the same key has its outcome. */
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
    const entry = this.#recent.get(cacheKey)?.entry;
    return entry && this.#deps.isFresh(entry) ? entry : null;
  }

  async #appendFirst(cacheKey: string, draft: Draft): Promise<Outcome> {
    const appending = this.#deps.append(draft);
    this.#inFlight.set(cacheKey, appending);
    try {
      const outcome = await appending;
      if (outcome.kind !== 'superseded') this.#remember(cacheKey, this.#answerOf(outcome.entry));
      return outcome;
    } finally {
      this.#inFlight.delete(cacheKey);
    }
  }

  #remember(cacheKey: string, entry: Stored): void {
    this.#drop(cacheKey);
    const bytes = bytesHeld(entry);
    this.#recent.set(cacheKey, { entry, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#recent.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#drop(oldest);
    }
  }

  #drop(cacheKey: string): void {
    const known = this.#recent.get(cacheKey);
    if (!known) return;
    this.#recent.delete(cacheKey);
    this.#bytes -= known.bytes;
  }
}

function cacheKeyOf(organizationId: string, idempotencyKey: Buffer | string): string {
  return `${organizationId}:${idempotencyKeyText(idempotencyKey)}`;
}
