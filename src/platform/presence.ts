// Who waits for the answer to a request, and whether they still do, known to whatever works for it.
import { AsyncLocalStorage } from 'node:async_hooks';

export interface WaitingCaller {
  /** Of its address: /24, or /48 of IPv6. */
  network: string;
  hasLeft(): boolean;
}

export interface Presence {
  /** Works for a request whose caller may leave. */
  during<T>(caller: WaitingCaller, work: () => Promise<T>): Promise<T>;
  /** Whether the caller of the request that this is for has left; false where there is none. */
  isAbandoned(): boolean;
  /** The caller's network; empty where there is none. */
  network(): string;
  /** The caller, to be asked later; where there is none, one without a network that does not leave. */
  caller(): WaitingCaller;
}

const NOBODY: WaitingCaller = { network: '', hasLeft: () => false };

export function createPresence(): Presence {
  const current = new AsyncLocalStorage<WaitingCaller>();
  let underWay = 0;
  return {
    async during(caller, work) {
      underWay += 1;
      try {
        return await current.run(caller, work);
      } finally {
        underWay -= 1;
        // As with transactions: until it is disabled, every promise of the process is dearer; `run` enables it again.
        if (underWay === 0) current.disable();
      }
    },
    isAbandoned: () => current.getStore()?.hasLeft() ?? false,
    network: () => current.getStore()?.network ?? '',
    caller: () => current.getStore() ?? NOBODY,
  };
}
