// An append waiting in the queue, and the promise of its outcome.
import type { Types } from 'mongoose';
import type { Draft, Outcome } from '../entry.ts';
import type { Refusal } from './seal.ts';

/** A pending append. Its `_id` stays the same however often it is sealed, so it can be in the chain only once. */
export class PendingAppend {
  readonly id: Types.ObjectId;
  readonly draft: Draft;
  readonly bytes: number;
  readonly queuedAt: Date;
  readonly outcome: Promise<Outcome>;
  /** Conflicts on its idempotency key whose owner no majority showed. */
  unseenConflicts = 0;
  /** Why it was not sealed at the last attempt. */
  refusal: Refusal | null = null;
  done = false;
  /** Called once it is answered. */
  onDone = (): void => {};
  #resolve!: (outcome: Outcome) => void;
  #reject!: (error: Error) => void;

  constructor(draft: Draft, id: Types.ObjectId, queuedAt: Date) {
    this.id = id;
    this.draft = draft;
    this.bytes = estimateSize(draft.payload) + estimateSize(draft.fields);
    this.queuedAt = queuedAt;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  settle(outcome: Outcome): void {
    this.#end();
    this.#resolve(outcome);
  }

  reject(error: Error): void {
    this.#end();
    this.#reject(error);
  }

  #end(): void {
    if (!this.done) this.onDone();
    this.done = true;
  }
}

/** Estimates the stored size of a value in bytes: texts and binaries in full, everything else as a few bytes. */
function estimateSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = 16;
  for (const name in value) bytes += 16 + estimateSize((value as Record<string, unknown>)[name]);
  return bytes;
}
