// The error of a ledger that cannot append right now.
import { AppError } from '../../errors.ts';

/** 503 with `Retry-After`: a retry with the same idempotency key gets the right answer. */
export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('SERVICE_UNAVAILABLE', message, { headers: { 'Retry-After': '1' }, cause });
}
