// A semaphore for work of which little may be done at a time: who waits for it is served fairly, and how many wait is bounded.
import { FairQueue } from './fair-queue.ts';

/** Gives back what was acquired. MUST be called once. */
export type Release = () => void;

/**
 * - At most `permits` are acquired at a time, and at most `maxWaiting` callers wait.
 * - MUST serve the shares of those who wait in rotation, and MUST NOT let anybody pass while others wait.
 * - When too many wait, the newest of the largest share gets null: its caller says that it is busy.
 */
export interface FairSemaphore {
  /** At once where there is a permit; null where the caller has to give way. */
  acquire(share: string): Release | Promise<Release | null>;
}

export interface SemaphoreLimits {
  permits: number;
  maxWaiting: number;
}

export function createFairSemaphore({ permits, maxWaiting }: SemaphoreLimits): FairSemaphore {
  let acquired = 0;
  const waiting = new FairQueue<(release: Release | null) => void>(maxWaiting);

  function release(): void {
    const next = waiting.shift();
    if (next) next(release);
    else acquired -= 1;
  }

  return {
    acquire(share) {
      if (acquired < permits) {
        acquired += 1;
        return release;
      }
      return new Promise((resolve) => {
        waiting.push({ share, client: '' }, resolve)?.(null);
      });
    },
  };
}
