// Whether somebody still waits for the answer to a request, known to whatever works for it.
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Presence {
  /** Works for a request whose caller may leave. */
  during<T>(hasLeft: () => boolean, work: () => T): T;
  /** Whether the caller of the request that this is for has left; false where there is none. */
  isAbandoned(): boolean;
}

export function createPresence(): Presence {
  const current = new AsyncLocalStorage<() => boolean>();
  return {
    during: (hasLeft, work) => current.run(hasLeft, work),
    isAbandoned: () => current.getStore()?.() ?? false,
  };
}
