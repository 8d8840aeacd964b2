// A fair semaphore with a bounded queue: the shares of waiting callers are served in rotation.
import { FairQueue } from './fair-queue.ts';

/** Returns a permit. MUST be called once. */
export type Release = () => void;

/**
 * - At most `permits` are acquired at a time, and at most `maxWaiting` callers wait.
 * - MUST serve the shares of waiting callers in rotation, and MUST NOT let a caller overtake them.
 * - When too many wait, the newest caller of the largest share gets null and has to refuse its request.
 */
export interface FairSemaphore {
  /** Returns synchronously when a permit is free; resolves with null when the queue is full. */
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
        waiting.enqueue({ share, client: '' }, resolve)?.(null);
      });
    },
  };
}
