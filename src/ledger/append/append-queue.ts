// The append queue of one organisation: pending appends, the head they build on, and their latencies.
import { LRUCache } from 'lru-cache';
import type { Types } from 'mongoose';
import { Halts } from '../../domain/halt/halt.ts';
import type { Stored } from '../entry.ts';
import { LatencyWindow } from './latency.ts';
import { toObjectId } from '../ledger.model.ts';
import type { PendingAppend } from './pending-append.ts';
import type { Head } from './store.ts';
import { ContentionBackoff } from './contention.ts';
import { limitEntries } from '../../domain/entry-limit.ts';
import { addRegisters, KnownRegisters } from '../registers/known-registers.ts';

/** Limits of one batch and of one queue. */
export interface QueueLimits {
  /** Entries of a batch. */
  batch: number;
  /** Bytes of a batch; a larger entry gets a batch of its own. */
  bytes: number;
  /** Entries that may wait per organisation. */
  queue: number;
  /** Bytes that may wait or be in flight, per organisation and in all. */
  bufferedBytes: { perOrganization: number; inAll: number };
}

/** Idle queues that keep their head and latencies. */
const IDLE_QUEUES_MAX = 5_000;
/** A head that is unused for this long is read again: the chain may have been cut or restored in the meantime. */
const HEAD_KEPT_MS = 60_000;

/** The pending appends of one organisation, in order of arrival, and the head they build on. */
export class AppendQueue {
  readonly organizationId: string;
  readonly organizationObjectId: Types.ObjectId;
  readonly latency = new LatencyWindow();
  readonly contention = new ContentionBackoff();
  /** The halts as of `head`, once something depends on them. */
  halts = new Halts();
  /** What is known as of `head`. */
  readonly registers = new KnownRegisters();
  readonly #waiting: PendingAppend[] = [];
  #bufferedBytes = 0;
  #head: Head | null = null;
  #trusted: Head | null = null;
  #usedAt = 0;

  constructor(organizationId: string) {
    this.organizationId = organizationId;
    this.organizationObjectId = toObjectId(organizationId);
  }

  /** The head to build on: acknowledged by or read from a majority, so it cannot be rolled back. Null: to be read. */
  get head(): Head | null {
    return this.#head;
  }

  /** The newest head ever accepted; a chain that no longer reaches it was truncated. Null: the notes decide. */
  get trusted(): Head | null {
    return this.#trusted;
  }

  /** The number of appends that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Bytes that wait or are in flight. */
  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  /** Adds an append; a halt waits for no other. Its bytes count until `removeBytes`. */
  enqueue(pending: PendingAppend): void {
    if (pending.draft.kind === 'halt') this.#waiting.unshift(pending);
    else this.#waiting.push(pending);
    this.#bufferedBytes += pending.bytes;
  }

  /** Subtracts the bytes of an append that was answered. */
  removeBytes(bytes: number): void {
    this.#bufferedBytes -= bytes;
  }

  /**
   * Accepts a head to build on. It MUST be acknowledged by or read from a majority. `sealed`: the entries up to it since
   * the head before; absent: others may have appended, and no register is known any more.
   */
  acceptHead(head: Head, sealed?: readonly Stored[]): void {
    if (!sealed) this.registers.clear();
    for (const entry of sealed ?? []) addRegisters(this.registers, entry);
    this.#head = head;
    this.#trusted = head;
  }

  /** Lets the head be read again before the next batch; it stays trusted. */
  discardHead(): void {
    this.#head = null;
  }

  /** Trusts no head any more. The missing one MUST have been noted before. */
  distrustHead(): void {
    this.#trusted = null;
  }

  /** Marks the queue as used; discards a head that was not used for a minute. */
  markUsed(now: Date): void {
    if (Math.abs(now.getTime() - this.#usedAt) > HEAD_KEPT_MS) this.#head = null;
    this.#usedAt = now.getTime();
  }

  /** Removes and returns the next batch, in order of arrival; empty when nothing waits. */
  takeBatch({ batch, bytes }: QueueLimits): PendingAppend[] {
    let count = 0;
    let size = 0;
    for (const pending of this.#waiting) {
      size += pending.bytes;
      if (count === batch || (count > 0 && size > bytes)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }
}

/** The queues of one appender: all busy ones and the most recently used idle ones. */
export class AppendQueues {
  /** Bytes that wait or are in flight in all queues. */
  #buffered = 0;
  readonly #idle = new LRUCache<string, AppendQueue>(limitEntries(IDLE_QUEUES_MAX));
  readonly #busy = new Map<string, { queue: AppendQueue; drained: Promise<void> }>();

  /** Returns the queue of an organisation. A busy organisation MUST NOT get a second one. */
  getQueue(organizationId: string): AppendQueue {
    const existing = this.#busy.get(organizationId)?.queue ?? this.#idle.get(organizationId);
    if (existing) return existing;
    const queue = new AppendQueue(organizationId);
    this.#idle.set(organizationId, queue);
    return queue;
  }

  /** Enqueues an append; false when a limit is reached. One oversized append fits into an empty queue. */
  tryEnqueue(
    queue: AppendQueue,
    pending: PendingAppend,
    { queue: entries, bufferedBytes }: QueueLimits,
  ): boolean {
    const { bytes } = pending;
    const isFull =
      queue.waiting >= entries ||
      (queue.bufferedBytes > 0 && queue.bufferedBytes + bytes > bufferedBytes.perOrganization) ||
      (this.#buffered > 0 && this.#buffered + bytes > bufferedBytes.inAll);
    if (isFull) return false;
    this.#buffered += bytes;
    pending.onDone = () => {
      queue.removeBytes(bytes);
      this.#buffered -= bytes;
    };
    queue.enqueue(pending);
    return true;
  }

  /** Calls `appendNext`, one at a time, until nothing waits. A queue that is being drained is left alone. */
  drain(queue: AppendQueue, appendNext: () => Promise<void>): void {
    const { organizationId } = queue;
    if (!this.#busy.has(organizationId))
      this.#busy.set(organizationId, { queue, drained: this.#run(queue, appendNext) });
  }

  async #run(queue: AppendQueue, appendNext: () => Promise<void>): Promise<void> {
    while (queue.waiting > 0) await appendNext();
    this.#busy.delete(queue.organizationId);
    this.#idle.set(queue.organizationId, queue);
  }

  /** Resolves when every queue is empty. */
  async waitUntilDrained(): Promise<void> {
    while (this.#busy.size > 0)
      await Promise.all([...this.#busy.values()].map(({ drained }) => drained));
  }
}
