// Mutual exclusion between the workers of one port, by a shared lease; a single process never waits.
import type { KeyLease, KeyLeaseProvider } from '../platform/shared/key-leases.ts';
import { type Timer, awaitWithin } from '../platform/concurrency/timer.ts';

export interface LeaseDeps {
  /** The leases that the workers of one port share; absent: there is one process. */
  keyLeases?: KeyLeaseProvider | undefined;
  timer: Timer;
}

const UNSHARED: KeyLease = { payload: null, release: () => undefined };

/**
 * Acquires the lease of `key`; the caller MUST release it, with a payload for the next holder. After `patienceMs` it
 * resolves without the lease, which is released when it arrives. It never rejects.
 */
export async function acquireLease(
  key: string,
  patienceMs: number,
  { keyLeases, timer }: LeaseDeps,
): Promise<KeyLease> {
  if (!keyLeases) return UNSHARED;
  let isLate = false;
  const acquired = keyLeases.acquire(key).then((lease) => {
    if (isLate) lease.release(lease.payload);
    return lease;
  });
  const onTimeout = (): KeyLease => {
    isLate = true;
    return UNSHARED;
  };
  return awaitWithin<KeyLease>(timer, patienceMs, { work: acquired, onTimeout }).catch(
    () => UNSHARED,
  );
}
