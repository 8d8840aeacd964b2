// The one way into a chain: a queue per organisation, one batch in flight, the answer when it is durable (ledger.md, appending).
import { AppError } from '../../errors.ts';
import { appendBatch, type BatchParts } from './batch.ts';
import type { Appender, Draft, Outcome } from '../entry.ts';
import { type AppendQueue, AppendQueues, type QueueLimits } from './append-queue.ts';
import { objectId } from '../ledger.model.ts';
import { IdempotencyCache } from './idempotency-cache.ts';
import { Pending } from './pending.ts';
import type { Probe } from '../probe.ts';
import { isFresh } from './replays.ts';
import { yieldTurn } from './contention.ts';
import { within } from '../timer.ts';
import { unavailable } from './unavailable.ts';

export const DEFAULT_LIMITS: QueueLimits = { batch: 64, bytes: 4 * 1024 * 1024, queue: 1_024 };

export interface AppenderParts extends Omit<BatchParts, 'probe'> {
  /** A new id of 24 hex digits; ids grow with time. */
  newId: () => string;
  limits: QueueLimits;
  probe?: Probe;
}

/** The appender of one chain. */
export function createAppender(options: AppenderParts): Appender {
  const { newId, limits, clock, store } = options;
  const parts: BatchParts = { ...options, probe: options.probe ?? (() => {}) };
  const lanes = new AppendQueues();
  const register = new IdempotencyCache({
    append: enqueue,
    isFresh: (entry) => isFresh(entry, parts),
  });
  let isClosed = false;

  async function enqueue(draft: Draft): Promise<Outcome> {
    await parts.probe('queued', draft.organizationId);
    if (isClosed) throw unavailable('This instance is shutting down');
    const lane = lanes.of(draft.organizationId);
    if (lane.queue.length >= limits.queue)
      throw unavailable('Too many decisions of this organisation are waiting');
    const pending = new Pending(draft, objectId(newId()), clock.now());
    lane.queue.push(pending);
    lanes.work(lane, () => nextBatch(lane));
    return pending.outcome;
  }

  async function nextBatch(lane: AppendQueue): Promise<void> {
    await yieldTurn(lane, parts);
    const batch = lane.take(limits);
    try {
      await appendBatch(lane, batch, parts);
    } catch (error) {
      giveUp(lane, batch, error);
    }
  }

  return {
    append(draft, deadlineMs) {
      const work = register.append(draft);
      return deadlineMs === undefined ? work : within(parts.timer, deadlineMs, { work, late });
    },
    async find(organizationId, once) {
      const recent = register.recent(organizationId, once);
      if (recent) return recent;
      const [entry] = await store
        .byIdempotencyKey(objectId(organizationId), [once])
        .catch((cause: unknown) => {
          throw unavailable('The database does not answer', cause);
        });
      return entry && isFresh(entry, parts) ? entry : null;
    },
    forget: (organizationId, once) => register.forget(organizationId, once),
    async head(organizationId) {
      const newest = await store.newest(objectId(organizationId));
      return newest && { sequence: newest.sequence, chainHash: newest.chainHash };
    },
    latency: (organizationId) => lanes.of(organizationId).latency.percentiles(),
    async close() {
      isClosed = true;
      await lanes.settled();
      await parts.heads.flush();
    },
  };
}

function late(): never {
  throw unavailable('The decision is not known to be durable yet');
}

/** Nothing more can be said to those that are not answered; what was sent may still land. */
function giveUp(lane: AppendQueue, batch: readonly Pending[], error: unknown): void {
  lane.head = null;
  const answer =
    error instanceof AppError ? error : new AppError('INTERNAL_ERROR', undefined, { cause: error });
  for (const pending of batch) if (!pending.done) pending.fail(answer);
}
