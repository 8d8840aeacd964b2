// Mutual exclusion between the workers of one port, by a shared lease; a single process never waits.
import type { Baton, BatonKeeper } from '../platform/shared/batons.ts';
import { type Timer, within } from './timer.ts';

export interface TurnDeps {
  /** The leases that the workers of one port share; absent: there is one process. */
  batons?: BatonKeeper | undefined;
  timer: Timer;
}

const ALONE: Baton = { note: null, pass: () => undefined };

/**
 * Waits for the lease of `key`; the caller MUST call `pass`, which releases it with a note for the next holder. After
 * `patienceMs` it resolves without the lease, which is passed on when it arrives. It never rejects.
 */
export async function turnAt(
  key: string,
  patienceMs: number,
  { batons, timer }: TurnDeps,
): Promise<Baton> {
  if (!batons) return ALONE;
  let isLate = false;
  const coming = batons.take(key).then((baton) => {
    if (isLate) baton.pass(baton.note);
    return baton;
  });
  const late = (): Baton => {
    isLate = true;
    return ALONE;
  };
  return within<Baton>(timer, patienceMs, { work: coming, late }).catch(() => ALONE);
}
