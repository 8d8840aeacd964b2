// Turns among the workers of one port, by a baton; whoever is alone has every turn.
import type { Baton, BatonKeeper } from '../platform/shared/batons.ts';
import { type Timer, within } from './timer.ts';

export interface TurnDeps {
  /** Absent: nobody else takes turns here. */
  batons?: BatonKeeper | undefined;
  timer: Timer;
}

/** A turn that has come: `pass` ends it. */
export type Turn = Pick<Baton, 'note' | 'pass'>;

const ALONE: Turn = { note: null, pass: () => undefined };

/** Resolves when it is this process's turn, or after `patienceMs`: one that does not come is done without, and goes on when it comes. */
export async function turnAt(
  key: string,
  patienceMs: number,
  { batons, timer }: TurnDeps,
): Promise<Turn> {
  if (!batons) return ALONE;
  let isLate = false;
  const coming = batons.take(key).then((baton) => {
    if (isLate) baton.pass(baton.note);
    return baton;
  });
  const late = (): Turn => {
    isLate = true;
    return ALONE;
  };
  return within<Turn>(timer, patienceMs, { work: coming, late }).catch(() => ALONE);
}
