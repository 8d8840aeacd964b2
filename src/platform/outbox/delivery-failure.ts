// A delivery that failed in a way that its deliverer understands.
import type { OutboxDocument } from './outbox.model.ts';

interface Parts {
  /** Kept with the row. */
  result?: OutboxDocument['result'];
  /** The next attempt is not made sooner. */
  retryAfterMs?: number | null;
  /** No further attempt is of any use. */
  isFinal?: boolean;
  /** The receiver did not answer in time. */
  hasTimedOut?: boolean;
}

export class DeliveryFailure extends Error {
  readonly result: OutboxDocument['result'];
  readonly retryAfterMs: number | null;
  readonly isFinal: boolean;
  readonly hasTimedOut: boolean;

  constructor(message: string, parts: Parts = {}) {
    const { result, retryAfterMs = null, isFinal = false, hasTimedOut = false } = parts;
    super(message);
    this.name = 'DeliveryFailure';
    this.result = result;
    this.retryAfterMs = retryAfterMs;
    this.isFinal = isFinal;
    this.hasTimedOut = hasTimedOut;
  }
}
