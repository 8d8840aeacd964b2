// The end of a session: it leads to the sign-in page, once, from wherever it is noticed.
import { ApiError } from '../api/api-error.ts';

const onEnd = new Set<() => void>();
/** Whether this page makes way for the sign-in page: what fails after that says nothing new. */
let isOver = false;

// The browser may show the page again as it was left.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) isOver = false;
});

/** Calls `listener` when the service no longer takes the session. */
export function listenForEnd(listener: () => void): () => void {
  onEnd.add(listener);
  return () => void onEnd.delete(listener);
}

/** Reports the failure of a request; others than a refused session are ignored. */
export function reportEnd(error: unknown): void {
  if (isOver || !(error instanceof ApiError) || error.status !== 401) return;
  isOver = onEnd.size > 0;
  for (const notify of onEnd) notify();
}

/** Ends the session by `end`, and opens the sign-in page. */
export async function endSession(end: () => Promise<unknown>): Promise<void> {
  isOver = true;
  try {
    await end();
  } catch (error) {
    isOver = false;
    throw error;
  }
  location.assign('/console/sign-in');
}
