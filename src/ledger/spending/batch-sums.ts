// The sums that a batch depends on: read as of the head, and carried on from entry to entry.
import type { WindowSlot } from '../../domain/budgets/spending.ts';
import type { Timer } from '../../platform/concurrency/timer.ts';
import type { Stored } from '../entry.ts';
import type { AppendQueue } from '../append/append-queue.ts';
import type { PendingAppend } from '../append/pending-append.ts';
import type { Sums } from '../append/seal.ts';
import { readShown } from '../shown-read.ts';
import type { Head, LedgerStore } from '../append/store.ts';

/** The sums as of the newest entry that was sealed in a batch. */
export class BatchSums implements Sums {
  readonly #known: AppendQueue['spent'];
  readonly #changed = new Map<string, readonly WindowSlot[]>();

  constructor({ spent }: AppendQueue) {
    this.#known = spent;
  }

  getSlots(key: string): readonly WindowSlot[] {
    return this.#changed.get(key) ?? this.#known.get(key) ?? [];
  }

  addEntry({ spent = [] }: Stored): void {
    for (const { key, slots } of spent) this.#changed.set(key, slots);
  }
}

/** Reads the sums that a batch depends on and that are not known, as of the head that is built on. */
export async function loadSums(
  queue: AppendQueue,
  { head, batch }: { head: Head; batch: readonly PendingAppend[] },
  { store, timer }: { store: LedgerStore; timer: Timer },
): Promise<void> {
  const wanted = new Set<string>();
  for (const { draft } of batch)
    for (const { key } of draft.spends?.added ?? [])
      if (queue.spent.get(key) === undefined) wanted.add(key);
  if (wanted.size === 0 || head.sequence === 0) return;
  const { organizationObjectId: id } = queue;
  const found = await readShown(timer, 'The sums', () =>
    store.readSums(id, [...wanted], head.sequence),
  );
  for (const key of wanted) queue.spent.set(key, found.get(key)?.slots ?? []);
}
