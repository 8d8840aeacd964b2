// A delivery that failed in a way that its deliverer understands.
import type { OutboxDocument } from './outbox.model.ts';

interface Parts {
  /** Kept with the row. */
  result?: OutboxDocument['result'];
  /** The next attempt is not made sooner. */
  retryAfterMs?: number | null;
  /** No further attempt is of any use. */
  isFinal?: boolean;
}

export class DeliveryFailure extends Error {
  readonly result: OutboxDocument['result'];
  readonly retryAfterMs: number | null;
  readonly isFinal: boolean;

  constructor(message: string, { result, retryAfterMs = null, isFinal = false }: Parts = {}) {
    super(message);
    this.name = 'DeliveryFailure';
    this.result = result;
    this.retryAfterMs = retryAfterMs;
    this.isFinal = isFinal;
  }
}
