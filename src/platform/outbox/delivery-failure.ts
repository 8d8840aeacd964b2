// How deliverers report an attempt: a result, or the error of a failed delivery with what they know about retries.
import type { PostOutcome } from '../outbound/receivers.ts';
import type { OutboxDocument } from './outbox.model.ts';

interface Parts {
  /** Stored with the row. */
  result?: OutboxDocument['result'];
  /** Minimum delay before the next attempt. */
  retryAfterMs?: number | null;
  /** Further attempts are useless. */
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

/** The result of an attempt that was answered 2xx; `isFinal`: further ones are useless. @throws DeliveryFailure */
export function settleAttempt(
  { ok, statusCode, durationMs, error, retryAfterMs, hasTimedOut }: PostOutcome,
  at: Date,
  isFinal = false,
): OutboxDocument['result'] {
  const result = { statusCode, durationMs, at };
  if (ok) return result;
  throw new DeliveryFailure(error ?? 'failed', { result, retryAfterMs, isFinal, hasTimedOut });
}
