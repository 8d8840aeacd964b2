// Maps any thrown value to an AppError; the text of other errors never reaches a caller.
import { AppError, type Code, isDuplicateKey, createTooSlowError } from '../../errors.ts';

const UNAVAILABLE = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongooseServerSelectionError',
  'MongoNotConnectedError',
  'MongoPoolClearedError',
  'MongoWaitQueueTimeoutError',
]);

/** MongoDB's error code for a read that exceeded its `maxTimeMS`. */
const TIME_EXPIRED = 50;

/** Maps a thrown value to an AppError; `fallback` is the code for an unexpected error. */
export function translateError(error: unknown, fallback: Code): AppError {
  if (error instanceof AppError) return error;
  const { name, code } = (error ?? {}) as { name?: string; code?: unknown };
  if (isDuplicateKey(error)) return new AppError('ALREADY_EXISTS', undefined, { cause: error });
  if (name !== undefined && UNAVAILABLE.has(name))
    return new AppError('SERVICE_UNAVAILABLE', undefined, { cause: error });
  if (name === 'MongoServerError' && code === TIME_EXPIRED) return createTooSlowError(error);
  if (error instanceof URIError)
    return new AppError('VALIDATION_ERROR', 'The URL is not properly encoded', {
      cause: error,
    });
  return new AppError(fallback, undefined, { cause: error });
}
