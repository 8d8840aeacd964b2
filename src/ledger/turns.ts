// Mutual exclusion between the workers of one port, by a shared lease; a single process never waits.
import type { KeyLease, KeyLeaseProvider } from '../platform/shared/batons.ts';
import { type Timer, awaitWithin } from './timer.ts';

export interface TurnDeps {
  /** The leases that the workers of one port share; absent: there is one process. */
  batons?: KeyLeaseProvider | undefined;
  timer: Timer;
}

const ALONE: KeyLease = { payload: null, release: () => undefined };

/**
 * Waits for the lease of `key`; the caller MUST call `pass`, which releases it with a note for the next holder. After
 * `patienceMs` it resolves without the lease, which is passed on when it arrives. It never rejects.
 */
export async function awaitTurn(
  key: string,
  patienceMs: number,
  { batons, timer }: TurnDeps,
): Promise<KeyLease> {
  if (!batons) return ALONE;
  let isLate = false;
  const lease = batons.acquire(key).then((baton) => {
    if (isLate) baton.release(baton.payload);
    return baton;
  });
  const onTimeout = (): KeyLease => {
    isLate = true;
    return ALONE;
  };
  return awaitWithin<KeyLease>(timer, patienceMs, { work: lease, onTimeout }).catch(() => ALONE);
}
