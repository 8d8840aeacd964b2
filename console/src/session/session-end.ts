// A session that ended elsewhere: it leads to the sign-in page from wherever it is noticed.
import { ApiError } from '../api/api-error.ts';

const onEnd = new Set<() => void>();

/** Calls `listener` when the service no longer takes the session. */
export function listenForEnd(listener: () => void): () => void {
  onEnd.add(listener);
  return () => void onEnd.delete(listener);
}

/** Reports the failure of a request; others than a refused session are ignored. */
export function reportEnd(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) for (const notify of onEnd) notify();
}
