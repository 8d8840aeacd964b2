// Turns among the workers of one port, by a baton; whoever is alone has every turn.
import type { Baton, BatonKeeper } from '../platform/shared/batons.ts';
import { type Timer, within } from './timer.ts';

export interface TurnDeps {
  /** Of the workers of one port; absent: this process is alone. */
  batons?: BatonKeeper | undefined;
  timer: Timer;
}

const ALONE: Baton = { note: null, pass: () => undefined };

/** Resolves when it is this process's turn, which `pass` ends, or after `patienceMs`: one that does not come is done without, and goes on when it comes. */
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
