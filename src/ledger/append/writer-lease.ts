// Workers of one port write to a chain under a shared lease, which carries the newest head (ledger.md, appending, 7).
import { type LeaseDeps, acquireLease } from '../worker-lease.ts';
import type { AppendQueue } from './append-queue.ts';
import { toHead } from './seal.ts';
import type { Head } from './store.ts';

/** Append without the lease after this time: the unique index keeps the chain correct. */
const PATIENCE_MS = 1_000;

/**
 * Calls `write` while this process holds the lease of the chain, or after one second without it. The lease passes the
 * newest head on to the next worker.
 */
export async function writeUnderLease(
  queue: AppendQueue,
  write: () => Promise<void>,
  deps: LeaseDeps,
): Promise<void> {
  if (!deps.keyLeases) return write();
  const { payload, release } = await acquireLease(queue.organizationId, PATIENCE_MS, deps);
  acceptPassedHead(queue, payload);
  try {
    await write();
  } finally {
    release(queue.head && serializeHead(queue.head));
  }
}

/** Accepts the head of the previous worker: a majority has acknowledged it. */
function acceptPassedHead(queue: AppendQueue, payload: string | null): void {
  const head = payload === null ? null : parseHead(payload);
  if (head && head.sequence > (queue.head?.sequence ?? 0)) queue.acceptHead(head);
}

const serializeHead = (head: Head): string => JSON.stringify(toHead(head));

function parseHead(text: string): Head {
  const head = JSON.parse(text) as Omit<Head, 'createdAt'> & { createdAt: string };
  return toHead({ ...head, createdAt: new Date(head.createdAt) });
}
