// The sums that a batch depends on: read as of the head, and carried on from entry to entry.
import type { WindowSlot } from '../../domain/budgets/spending.ts';
import { computeBackoff, retryRead } from '../../platform/concurrency/backoff.ts';
import { sleep, type Timer } from '../../platform/concurrency/timer.ts';
import type { Stored } from '../entry.ts';
import type { AppendQueue } from '../append/append-queue.ts';
import type { PendingAppend } from '../append/pending-append.ts';
import type { Sums } from '../append/seal.ts';
import type { Head, LedgerStore } from '../append/store.ts';
import { createUnavailableError } from '../append/unavailable.ts';

/** About a second of waiting until a majority shows the head. */
const HEAD_READS_MAX = 12;

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
  for (let attempt = 0; ; attempt++) {
    await sleep(timer, computeBackoff(attempt));
    const found = await retryRead(timer, () => store.readSums(id, [...wanted], head.sequence));
    for (const key of found ? wanted : []) queue.spent.set(key, found?.get(key)?.slots ?? []);
    if (found) return;
    if (attempt === HEAD_READS_MAX) throw createUnavailableError('The sums cannot be read');
  }
}
