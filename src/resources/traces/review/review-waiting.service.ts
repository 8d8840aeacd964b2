// Waits for a verdict by polling twice a second, so that it may be given on any instance.
import { sleep, systemTimer, type Timer } from '../../../ledger/timer.ts';

/** Shorter than the grace period of requests on a stopping instance. */
export const WAIT_MAX_SECONDS = 15;
const LOOK_EVERY_MS = 500;
/** Maximum waiting requests of an organisation on an instance; further ones are answered at once. */
const WAITING_MAX = 100;

interface Wait<T> {
  organizationId: string;
  seconds: number;
  look: () => Promise<T>;
  isDone: (seen: T) => boolean;
}

export function createReviewWaiting(timer: Timer = systemTimer) {
  const waiting = new Map<string, number>();

  function count(organizationId: string, change: 1 | -1): void {
    const left = (waiting.get(organizationId) ?? 0) + change;
    if (left === 0) waiting.delete(organizationId);
    else waiting.set(organizationId, left);
  }

  return {
    /** Resolves with the last observed state, when it is done or the time is over. */
    async waitUntil<T>({ organizationId, seconds, look, isDone }: Wait<T>): Promise<T> {
      let seen = await look();
      if ((waiting.get(organizationId) ?? 0) >= WAITING_MAX) return seen;
      count(organizationId, 1);
      try {
        for (let left = seconds * 1000; left > 0 && !isDone(seen); left -= LOOK_EVERY_MS) {
          await sleep(timer, LOOK_EVERY_MS);
          seen = await look();
        }
        return seen;
      } finally {
        count(organizationId, -1);
      }
    },
  };
}
export type ReviewWaiting = ReturnType<typeof createReviewWaiting>;
