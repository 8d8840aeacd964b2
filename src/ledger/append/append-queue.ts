// The append queue of one organisation: what waits, the head it builds on, and how long appends took.
import { LRUCache } from 'lru-cache';
import type { Types } from 'mongoose';
import { LatencyWindow } from './latency.ts';
import { objectId } from '../ledger.model.ts';
import type { PendingAppend } from './pending-append.ts';
import type { Head } from './store.ts';
import { noContention, type ContentionBackoff } from './contention.ts';

/** Limits of one batch and of one queue. */
export interface QueueLimits {
  /** Entries of a batch. */
  batch: number;
  /** Bytes of a batch; a larger entry gets a batch of its own. */
  bytes: number;
  /** Entries that may wait per organisation. */
  queue: number;
  /** Bytes that may wait, or be under way, per organisation and in all. */
  held: { perOrganization: number; inAll: number };
}

/** Idle queues that keep their head and latencies. */
const IDLE_QUEUES_MAX = 5_000;
/** A head that was not built on for so long is read again: the chain may have been cut or restored meanwhile. */
const HEAD_KEPT_MS = 60_000;

export class AppendQueue {
  readonly organizationId: string;
  readonly organizationObjectId: Types.ObjectId;
  readonly latency = new LatencyWindow();
  readonly waiting: PendingAppend[] = [];
  /** Bytes that wait or are under way. */
  held = 0;
  readonly contention: ContentionBackoff = noContention();
  /** Acknowledged by or read with a majority, so it cannot be rolled back; null: to be read. */
  head: Head | null = null;
  /** The newest head ever trusted; a chain that no longer reaches it was truncated. */
  trusted: Head | null = null;
  #usedAt = 0;

  constructor(organizationId: string) {
    this.organizationId = organizationId;
    this.organizationObjectId = objectId(organizationId);
  }

  trust(head: Head): void {
    this.head = head;
    this.trusted = head;
  }

  /** About to be built on. */
  use(now: Date): void {
    if (Math.abs(now.getTime() - this.#usedAt) > HEAD_KEPT_MS) this.head = null;
    this.#usedAt = now.getTime();
  }

  /** Removes the next batch, in order of arrival. */
  take({ batch, bytes }: QueueLimits): PendingAppend[] {
    let count = 0;
    let size = 0;
    for (const pending of this.waiting) {
      size += pending.bytes;
      if (count === batch || (count > 0 && size > bytes)) break;
      count++;
    }
    return this.waiting.splice(0, count);
  }
}

/** The queues of one appender: all busy ones, and the most recently used idle ones. */
export class AppendQueues {
  /** Bytes that wait or are under way in all queues. */
  #held = 0;
  readonly #idle = new LRUCache<string, AppendQueue>({ max: IDLE_QUEUES_MAX });
  readonly #busy = new Map<string, { queue: AppendQueue; drained: Promise<void> }>();

  of(organizationId: string): AppendQueue {
    const known = this.#busy.get(organizationId)?.queue ?? this.#idle.get(organizationId);
    if (known) return known;
    const queue = new AppendQueue(organizationId);
    this.#idle.set(organizationId, queue);
    return queue;
  }

  /** Lets an append wait, if there is room for it. */
  admit(
    queue: AppendQueue,
    pending: PendingAppend,
    { queue: entries, held }: QueueLimits,
  ): boolean {
    const { bytes } = pending;
    const isFull =
      queue.waiting.length >= entries ||
      (queue.held > 0 && queue.held + bytes > held.perOrganization) ||
      (this.#held > 0 && this.#held + bytes > held.inAll);
    if (isFull) return false;
    const hold = (more: number): void => {
      queue.held += more;
      this.#held += more;
    };
    hold(bytes);
    pending.onDone = () => hold(-bytes);
    queue.waiting.push(pending);
    return true;
  }

  /** Calls `appendNext` until nothing waits, unless the queue is being drained already. */
  drain(queue: AppendQueue, appendNext: () => Promise<void>): void {
    const { organizationId } = queue;
    if (!this.#busy.has(organizationId))
      this.#busy.set(organizationId, { queue, drained: this.#run(queue, appendNext) });
  }

  async #run(queue: AppendQueue, appendNext: () => Promise<void>): Promise<void> {
    while (queue.waiting.length > 0) await appendNext();
    this.#busy.delete(queue.organizationId);
    this.#idle.set(queue.organizationId, queue);
  }

  /** Resolves when every queue is empty. */
  async drained(): Promise<void> {
    while (this.#busy.size > 0)
      await Promise.all([...this.#busy.values()].map(({ drained }) => drained));
  }
}
