// Decisions of agents that are observed: collected, sent in batches, and never in an agent's way.
import { AssayError } from '../errors.ts';
import type { HttpClient } from '../http-client.ts';
import type { JournalEntry } from '../journal.ts';
import { isObject } from '../json.ts';

const QUEUE_MAX = 1_000;
const BATCH = 50;
const PAUSE_MS = 500;

export class ObservedQueue {
  readonly #http: HttpClient;
  readonly #onError: (error: unknown) => void;
  #queue: Promise<JournalEntry>[] = [];
  #lost = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(http: HttpClient, onError: (error: unknown) => void) {
    this.#http = http;
    this.#onError = onError;
  }

  /** Takes a decision that may still be made; what cannot be made is lost. */
  add(entry: Promise<JournalEntry>): void {
    entry.catch(this.#onError);
    if (this.#queue.length >= QUEUE_MAX) {
      this.#lost += 1;
      return;
    }
    this.#queue.push(entry);
    this.#timer ??= setTimeout(() => void this.flush().catch(this.#onError), PAUSE_MS);
  }

  /**
   * Resolves when all that was added is stored.
   * @throws AssayError that says how many decisions were lost
   */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending = this.#sending.then(() => this.#sendAll());
    await this.#sending;
    const lost = this.#lost;
    this.#lost = 0;
    if (lost > 0)
      throw new AssayError(`${lost} observed decisions were not stored`, {
        code: 'DECISIONS_LOST',
      });
  }

  /** It MUST NOT reject: what is not stored is counted. */
  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, BATCH);
      const made = await Promise.allSettled(batch);
      const decisions = made
        .filter((entry) => entry.status === 'fulfilled')
        .map(({ value: { idempotencyKey, body } }) => ({ ...body, idempotencyKey }));
      this.#lost += batch.length - decisions.length;
      if (decisions.length === 0) continue;
      try {
        const { data } = await this.#http.send('POST', '/api/v1/traces/batch', {
          body: { decisions },
        });
        const results = Array.isArray(data.results) ? data.results : [];
        const stored = results.filter((result) => isObject(result) && isStored(result.status));
        this.#lost += Math.max(0, decisions.length - stored.length);
      } catch (error) {
        this.#lost += decisions.length;
        this.#onError(error);
      }
    }
  }
}

/** A decision that a policy would have blocked is stored, too. */
const isStored = (status: unknown): boolean => status === 201 || status === 202 || status === 403;
