// Follows the connection of an answer: what its reader no longer waits for ends, and what it holds is freed.
import type { Response } from 'express';

/** Aborted when the connection is closed before the answer is complete. */
export function createCloseSignal(res: Response): AbortSignal {
  const controller = new AbortController();
  callWhenClosed(res, () => {
    if (!res.writableFinished) controller.abort(new Error('the reader of the answer has left'));
  });
  return controller.signal;
}

export function callWhenClosed(res: Response, act: () => void): void {
  if (res.closed) act();
  else res.once('close', act);
}
