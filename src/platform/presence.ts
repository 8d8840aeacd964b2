// Whether somebody still waits for the answer to a request, known to whatever works for it.
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Presence {
  /** Works for a request whose caller may leave. */
  during<T>(hasLeft: () => boolean, work: () => Promise<T>): Promise<T>;
  /** Whether the caller of the request that this is for has left; false where there is none. */
  isAbandoned(): boolean;
}

export function createPresence(): Presence {
  const current = new AsyncLocalStorage<() => boolean>();
  let underWay = 0;
  return {
    async during(hasLeft, work) {
      underWay += 1;
      try {
        return await current.run(hasLeft, work);
      } finally {
        underWay -= 1;
        // As with transactions: until it is disabled, every promise of the process is dearer; `run` enables it again.
        if (underWay === 0) current.disable();
      }
    },
    isAbandoned: () => current.getStore()?.() ?? false,
  };
}
