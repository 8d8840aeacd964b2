// Whoever waits for a verdict looks again twice a second, so that it does not matter on which instance it was given.
import { sleep, systemTimer, type Timer } from '../../../ledger/timer.ts';

/** Below the time that a stopping instance gives to requests under way. */
export const WAIT_MAX_SECONDS = 15;
const LOOK_EVERY_MS = 500;
/** Of an organisation on an instance; whoever comes beyond is answered at once. */
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
    /** What is seen when it is done, or when the time is over. */
    async until<T>({ organizationId, seconds, look, isDone }: Wait<T>): Promise<T> {
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
