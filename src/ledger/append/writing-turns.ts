// Workers of one port write to a chain in turns, and each builds on what the one before has written (ledger.md, appending, 7).
import type { BatonKeeper, Baton } from '../../platform/shared/batons.ts';
import { type Timer, within } from '../timer.ts';
import type { AppendQueue } from './append-queue.ts';
import { headOf } from './seal.ts';
import type { Head } from './store.ts';

/** A turn that does not come is done without: the unique index decides all the same. */
const PATIENCE_MS = 1_000;

interface WritingTurnDeps {
  /** Absent: nobody else writes here. */
  batons?: BatonKeeper | undefined;
  timer: Timer;
}

/** Writes once it is this process's turn. */
export async function inTurn(
  queue: AppendQueue,
  write: () => Promise<void>,
  { batons, timer }: WritingTurnDeps,
): Promise<void> {
  if (!batons) return write();
  const baton = await takenInTime(batons.take(queue.organizationId), timer);
  build(queue, baton?.note ?? null);
  try {
    await write();
  } finally {
    baton?.pass(queue.head && noteOf(queue.head));
  }
}

/** Null: it has not come; when it comes, it goes on. */
async function takenInTime(coming: Promise<Baton>, timer: Timer): Promise<Baton | null> {
  let isLate = false;
  const taken = coming.then((baton) => {
    if (isLate) baton.pass(baton.note);
    return baton;
  });
  const late = (): null => {
    isLate = true;
    return null;
  };
  return within<Baton | null>(timer, PATIENCE_MS, { work: taken, late }).catch(() => null);
}

/** Its head was acknowledged by a majority, as our own was. */
function build(queue: AppendQueue, note: string | null): void {
  const head = note === null ? null : headIn(note);
  if (head && head.sequence > (queue.head?.sequence ?? 0)) queue.trust(head);
}

function noteOf({ sequence, chainHash, createdAt, usage }: Head): string {
  return JSON.stringify({ sequence, chainHash, createdAt, usage });
}

function headIn(note: string): Head {
  const head = JSON.parse(note) as Omit<Head, 'createdAt'> & { createdAt: string };
  return headOf({ ...head, createdAt: new Date(head.createdAt) });
}
