// Workers of one port write to a chain under a shared lease, which carries the newest head (ledger.md, appending, 7).
import { type TurnDeps, awaitTurn } from '../turns.ts';
import type { AppendQueue } from './append-queue.ts';
import { toHead } from './seal.ts';
import type { Head } from './store.ts';

/** Append without the lease after this time: the unique index keeps the chain correct. */
const PATIENCE_MS = 1_000;

/**
 * Calls `write` while this process holds the lease of the chain, or after one second without it. The lease passes the
 * newest head on to the next worker.
 */
export async function writeInTurn(
  queue: AppendQueue,
  write: () => Promise<void>,
  deps: TurnDeps,
): Promise<void> {
  if (!deps.batons) return write();
  const { payload, release } = await awaitTurn(queue.organizationId, PATIENCE_MS, deps);
  acceptNotedHead(queue, payload);
  try {
    await write();
  } finally {
    release(queue.head && serializeHead(queue.head));
  }
}

/** Accepts the head of the previous worker: a majority has acknowledged it. */
function acceptNotedHead(queue: AppendQueue, note: string | null): void {
  const head = note === null ? null : parseHead(note);
  if (head && head.sequence > (queue.head?.sequence ?? 0)) queue.acceptHead(head);
}

function serializeHead({ sequence, chainHash, createdAt, usage }: Head): string {
  return JSON.stringify({ sequence, chainHash, createdAt, usage });
}

function parseHead(note: string): Head {
  const head = JSON.parse(note) as Omit<Head, 'createdAt'> & { createdAt: string };
  return toHead({ ...head, createdAt: new Date(head.createdAt) });
}
