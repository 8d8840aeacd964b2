// The only writer of a chain: a queue per organisation, one batch in flight, durable answers (ledger.md, appending).
import { AppError } from '../../errors.ts';
import { appendBatch, type BatchDeps } from './append-batch.ts';
import type { Appender, Draft, Outcome, Sealed, Stored } from '../entry.ts';
import { type AppendQueue, AppendQueues, type QueueLimits } from './append-queue.ts';
import { toObjectId } from '../ledger.model.ts';
import { IdempotencyCache } from './idempotency-cache.ts';
import { PendingAppend } from './pending-append.ts';
import type { Probe } from '../probe.ts';
import { isFresh, toKeyText } from './idempotent-replays.ts';
import { yieldTurn } from './contention.ts';
import { writeUnderLease } from './writer-lease.ts';
import { awaitWithin } from '../../platform/concurrency/timer.ts';
import type { LeaseDeps } from '../worker-lease.ts';
import { createUnavailableError } from './unavailable.ts';

const MIB = 1024 * 1024;
export const DEFAULT_LIMITS: QueueLimits = {
  batch: 64,
  bytes: MIB,
  queue: 1_024,
  bufferedBytes: { perOrganization: 64 * MIB, inAll: 256 * MIB },
};

export interface AppenderDeps extends Omit<BatchDeps, 'probe'>, LeaseDeps {
  /** A new id of 24 hex digits; ids grow with time. */
  generateId: () => string;
  limits: QueueLimits;
  probe?: Probe;
}

/**
 * Creates the appender of one chain. Appenders of several instances may write the same chain: its unique index decides.
 * `T` is the document type that is appended and read back.
 */
export function createAppender<T extends Sealed = Stored>(options: AppenderDeps): Appender<T> {
  const { generateId, limits, clock, store } = options;
  const deps: BatchDeps = { ...options, probe: options.probe ?? (() => {}) };
  const queues = new AppendQueues();
  const cache = new IdempotencyCache({ append: enqueue, findReplays });
  let isClosed = false;

  async function findReplays(
    organizationId: string,
    idempotencyKeys: readonly (Buffer | string)[],
  ): Promise<Map<string, Stored>> {
    const found = await store
      .findByIdempotencyKey(toObjectId(organizationId), idempotencyKeys)
      .catch((cause: unknown) => {
        throw createUnavailableError('The database is not responding', cause);
      });
    const fresh = found.filter((entry) => isFresh(entry, deps));
    return new Map(fresh.map((entry) => [toKeyText(entry[deps.chain.idempotencyField]), entry]));
  }

  async function findReplayed(
    organizationId: string,
    idempotencyKey: Buffer | string,
  ): Promise<Stored | null> {
    const found = await findReplays(organizationId, [idempotencyKey]);
    return found.get(toKeyText(idempotencyKey)) ?? null;
  }

  function enqueue(draft: Draft): Promise<Outcome> {
    const probed = deps.probe('queued', draft.organizationId);
    return probed ? probed.then(() => queueDraft(draft)) : queueDraft(draft);
  }

  function queueDraft(draft: Draft): Promise<Outcome> {
    if (isClosed) return Promise.reject(createUnavailableError('This instance is shutting down'));
    const queue = queues.getQueue(draft.organizationId);
    const pending = new PendingAppend(draft, toObjectId(generateId()), clock.now());
    if (!queues.tryEnqueue(queue, pending, limits))
      return Promise.reject(createUnavailableError('The append queue is full'));
    queues.drain(queue, () => appendNext(queue));
    return pending.outcome;
  }

  async function appendNext(queue: AppendQueue): Promise<void> {
    await yieldTurn(queue, deps);
    await writeUnderLease(queue, () => appendTaken(queue), options);
  }

  async function appendTaken(queue: AppendQueue): Promise<void> {
    const batch = queue.takeBatch(limits);
    queue.markUsed(clock.now());
    try {
      await appendBatch(queue, batch, deps);
    } catch (error) {
      failAll(queue, batch, error);
    }
  }

  return {
    append<D extends Sealed>(draft: Draft<D>, deadlineMs?: number) {
      const work = cache.append(draft as Draft) as Promise<Outcome<D>>;
      if (deadlineMs === undefined) return work;
      return awaitWithin(deps.timer, deadlineMs, { work, onTimeout: throwNotDurable });
    },
    findReplayed: (organizationId, idempotencyKey) =>
      findReplayed(organizationId, idempotencyKey) as Promise<T | null>,
    findReplays: (organizationId, idempotencyKeys) =>
      findReplays(organizationId, idempotencyKeys) as Promise<Map<string, T>>,
    async readHead(organizationId) {
      const newest = await store.readNewest(toObjectId(organizationId));
      return newest && { sequence: newest.sequence, chainHash: newest.chainHash };
    },
    getLatency: (organizationId) => queues.getQueue(organizationId).latency.computePercentiles(),
    async close() {
      isClosed = true;
      await queues.waitUntilDrained();
      await deps.heads.flush();
    },
  };
}

function throwNotDurable(): never {
  throw createUnavailableError('The entry is not known to be durable yet');
}

/** Fails every unanswered append; what was sent may still become durable. */
function failAll(queue: AppendQueue, batch: readonly PendingAppend[], error: unknown): void {
  queue.discardHead();
  const answer =
    error instanceof AppError ? error : new AppError('INTERNAL_ERROR', undefined, { cause: error });
  for (const pending of batch) if (!pending.done) pending.reject(answer);
}
