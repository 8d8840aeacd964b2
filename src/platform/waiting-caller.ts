// The caller of the current request, and whether it has disconnected, available to all work for the request.
import { AsyncLocalStorage } from 'node:async_hooks';
import { disableWhenIdle } from './concurrency/idle-storage.ts';

export interface WaitingCaller {
  /** Network of the caller's address: /24, or /48 of IPv6. */
  network: string;
  hasLeft(): boolean;
}

export interface CallerContext {
  /** Runs work on behalf of a caller, who may disconnect. */
  runWithCaller<T>(caller: WaitingCaller, work: () => Promise<T>): Promise<T>;
  /** Whether the current caller has disconnected; false outside of a request. */
  isAbandoned(): boolean;
  /** The caller's network; empty outside of a request. */
  network(): string;
  /** The current caller, for later use; outside of a request, one without a network that never disconnects. */
  caller(): WaitingCaller;
}

const NO_CALLER: WaitingCaller = { network: '', hasLeft: () => false };

export function createCallerContext(): CallerContext {
  const current = new AsyncLocalStorage<WaitingCaller>();
  return {
    runWithCaller: (caller, work) => disableWhenIdle([current], () => current.run(caller, work)),
    isAbandoned: () => current.getStore()?.hasLeft() ?? false,
    network: () => current.getStore()?.network ?? '',
    caller: () => current.getStore() ?? NO_CALLER,
  };
}
