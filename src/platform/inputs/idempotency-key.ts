// Reads the header Idempotency-Key, by which a request is known when it is repeated.
import { AppError } from '../../errors.ts';

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

const KEY_MAX = 256;

/** Undefined: the request cannot be repeated. @throws AppError `VALIDATION_ERROR` */
export function readIdempotencyKey(headers: RequestHeaders): string | undefined {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string' || key === '') return undefined;
  if (key.length > KEY_MAX)
    throw new AppError('VALIDATION_ERROR', `Idempotency-Key: at most ${KEY_MAX} characters`);
  return key;
}
