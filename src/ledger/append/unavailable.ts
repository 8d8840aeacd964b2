// The error of a ledger that cannot append at the moment.
import { AppError } from '../../errors.ts';

/** Creates a 503 with `Retry-After`: a retry with the same idempotency key gets the right answer. */
export function createUnavailableError(message: string, cause?: unknown): AppError {
  return new AppError('SERVICE_UNAVAILABLE', message, { headers: { 'Retry-After': '1' }, cause });
}
