// Workers of one port write to a chain in turns, and each builds on what the one before has written (ledger.md, appending, 7).
import { type TurnDeps, turnAt } from '../turns.ts';
import type { AppendQueue } from './append-queue.ts';
import { headOf } from './seal.ts';
import type { Head } from './store.ts';

/** A turn that does not come is done without: the unique index decides all the same. */
const PATIENCE_MS = 1_000;

/** Writes once it is this process's turn. */
export async function inTurn(
  queue: AppendQueue,
  write: () => Promise<void>,
  deps: TurnDeps,
): Promise<void> {
  if (!deps.batons) return write();
  const { note, pass } = await turnAt(queue.organizationId, PATIENCE_MS, deps);
  build(queue, note);
  try {
    await write();
  } finally {
    pass(queue.head && noteOf(queue.head));
  }
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
