// An append on its way through the queue, and how its caller learns what came of it.
import type { Types } from 'mongoose';
import type { Draft, Outcome } from '../entry.ts';

/** One queued append; its `_id` stays the same however often it is sealed anew, so it can be in the chain only once. */
export class Pending {
  readonly id: Types.ObjectId;
  readonly draft: Draft;
  readonly bytes: number;
  readonly queuedAt: Date;
  readonly outcome: Promise<Outcome>;
  /** How often a repetition of it was met that no majority knew of. */
  unseen = 0;
  done = false;
  #resolve!: (outcome: Outcome) => void;
  #reject!: (error: Error) => void;

  constructor(draft: Draft, id: Types.ObjectId, queuedAt: Date) {
    this.id = id;
    this.draft = draft;
    this.bytes = bytesOf(draft.view) + bytesOf(draft.fields);
    this.queuedAt = queuedAt;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  settle(outcome: Outcome): void {
    this.done = true;
    this.#resolve(outcome);
  }

  fail(error: Error): void {
    this.done = true;
    this.#reject(error);
  }
}

/** About how large a value is when stored: texts count in full, everything else as a few bytes. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = 16;
  for (const member of Object.values(value)) bytes += 16 + bytesOf(member);
  return bytes;
}
