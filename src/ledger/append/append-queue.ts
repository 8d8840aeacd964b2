// The appends of one organisation: a bounded queue, the head they build on, and how long they took.
import { LRUCache } from 'lru-cache';
import type { Types } from 'mongoose';
import { LatencyRing } from './latency.ts';
import { objectId } from '../ledger.model.ts';
import type { Pending } from './pending.ts';
import type { Head } from './store.ts';
import { noContention, type ContentionBackoff } from './contention.ts';

/** What one batch may hold, and one queue. */
export interface QueueLimits {
  /** Entries of a batch. */
  batch: number;
  /** Bytes of a batch; a larger entry travels alone. */
  bytes: number;
  /** Entries that may wait per organisation. */
  queue: number;
}

/** Organisations whose head and latencies are kept while nothing of theirs is queued. */
const IDLE_LANES = 5_000;

export class AppendQueue {
  readonly organizationId: string;
  readonly id: Types.ObjectId;
  readonly latency = new LatencyRing();
  readonly queue: Pending[] = [];
  readonly turns: ContentionBackoff = noContention();
  /** Acknowledged by or read with a majority, so it cannot be rolled back; null: to be read. */
  head: Head | null = null;
  /** The newest head ever trusted; a chain that no longer reaches it was cut. */
  trusted: Head | null = null;

  constructor(organizationId: string, id: Types.ObjectId) {
    this.organizationId = organizationId;
    this.id = id;
  }

  trust(head: Head): void {
    this.head = head;
    this.trusted = head;
  }

  /** The next batch, in the order of arrival. */
  take({ batch, bytes }: QueueLimits): Pending[] {
    let count = 0;
    let size = 0;
    for (const pending of this.queue) {
      size += pending.bytes;
      if (count === batch || (count > 0 && size > bytes)) break;
      count++;
    }
    return this.queue.splice(0, count);
  }
}

/** The lanes of one appender: all that are busy, and the newest of the idle ones. */
export class AppendQueues {
  readonly #idle = new LRUCache<string, AppendQueue>({ max: IDLE_LANES });
  readonly #busy = new Map<string, { lane: AppendQueue; done: Promise<void> }>();

  of(organizationId: string): AppendQueue {
    const known = this.#busy.get(organizationId)?.lane ?? this.#idle.get(organizationId);
    if (known) return known;
    const lane = new AppendQueue(organizationId, objectId(organizationId));
    this.#idle.set(organizationId, lane);
    return lane;
  }

  /** Does `batch` over and over while something is queued, unless that is being done already. */
  work(lane: AppendQueue, batch: () => Promise<void>): void {
    const { organizationId } = lane;
    if (!this.#busy.has(organizationId))
      this.#busy.set(organizationId, { lane, done: this.#drain(lane, batch) });
  }

  async #drain(lane: AppendQueue, batch: () => Promise<void>): Promise<void> {
    while (lane.queue.length > 0) await batch();
    this.#busy.delete(lane.organizationId);
    this.#idle.set(lane.organizationId, lane);
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    while (this.#busy.size > 0) await Promise.all([...this.#busy.values()].map(({ done }) => done));
  }
}
