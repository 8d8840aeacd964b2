// A fair semaphore with a bounded queue: the shares of waiting callers are served in rotation.
import { FairQueue } from './fair-queue.ts';
import { type PermitLimits, Permits, type Release } from './permits.ts';

/**
 * - At most `permits` are acquired at a time, and at most `maxWaiting` callers wait.
 * - MUST serve the shares of waiting callers in rotation, and MUST NOT let a caller overtake them.
 * - When too many wait, the newest caller of the largest share gets null and has to refuse its request.
 */
export interface FairSemaphore {
  /** Returns synchronously when a permit is free; resolves with null when the queue is full. */
  acquire(share: string): Release | Promise<Release | null>;
}

export interface SemaphoreLimits extends PermitLimits {
  maxWaiting: number;
}

export function createFairSemaphore(limits: SemaphoreLimits): FairSemaphore {
  const waiting = new FairQueue<(release: Release | null) => void>(limits.maxWaiting);
  const permits = new Permits(limits, {
    onFreed: () => waiting.shift()?.(permits.take()),
    areWaiting: () => waiting.size > 0,
  });

  return {
    acquire(share) {
      if (permits.held < limits.permits) return permits.take();
      const acquired = new Promise<Release | null>((resolve) => {
        waiting.enqueue({ share, client: '' }, resolve)?.(null);
      });
      permits.watch();
      return acquired;
    },
  };
}
