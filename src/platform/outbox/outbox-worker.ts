// The outbox worker: claims due rows, delivers them, retries on a schedule, and marks what keeps failing as dead.
import type { Model } from 'mongoose';
import { truncate } from '@assay/json';
import { computeRetryDelay } from '../../domain/retry-schedule.ts';
import type { Clock } from '../clock.ts';
import { sleep, type Timer } from '../concurrency/timer.ts';
import { type Backlog, createBacklog } from './backlog.ts';
import { createClaims, type LaneClaim } from './claims.ts';
import type { Deliverer, Deliverers, DeliveryHints, JointDeliverer } from './deliverers.ts';
import { DeliveryFailure } from './delivery-failure.ts';
import { createLanes, type Claimed, type DeliverySlot } from './lanes.ts';
import { createOutcomes } from './outcomes.ts';
import { type OutboxDocument, RETENTION_MS } from './outbox.model.ts';
import type { OutboxPool } from './pools.ts';

export interface OutboxWorker extends Backlog {
  /** Delivers all due rows, also those that become due during the run; resolves with the number of attempts. */
  deliverDue(): Promise<number>;
  /** Starts no further delivery; those under way end by themselves. */
  stopDelivery(): void;
}

/** How often to look for due rows while deliveries are under way. */
const LOOK_MS = 250;
const MAX_ERROR_LENGTH = 500;

interface WorkerDeps {
  pool: OutboxPool;
  rows: Model<OutboxDocument>;
  deliverers: Deliverers;
  clock: Clock;
  timer: Timer;
  /** Milliseconds that pass while deliveries last and lanes rest; cannot be set back. */
  elapsed: () => number;
  drawFraction: () => number;
  log: { warn(details: object, text: string): void };
}

/** Rows whose topic has no deliverer stay as they are until they expire. */
export function createOutboxWorker(deps: WorkerDeps): OutboxWorker {
  const { pool, rows, deliverers, clock, timer, elapsed, drawFraction, log } = deps;
  const topics = Object.keys(deliverers);
  const ordered = new Set(topics.filter((topic) => isOrdered(deliverers[topic])));
  const lanes = createLanes({ pool, ordered, elapsed });
  const claims = createClaims({ rows, topics, ordered, clock });
  const outcomes = createOutcomes({ rows, deliverers, timer, log });
  let isStopping = false;

  function retryLater(row: OutboxDocument, error: unknown): void {
    const lastError = truncate(toErrorText(error), MAX_ERROR_LENGTH);
    const failure = error instanceof DeliveryFailure ? error : null;
    const outcome = { lastError, ...(failure?.result && { result: failure.result }) };
    const delay = failure?.isFinal
      ? null
      : computeRetryDelay(pool.retries, row.attempts, drawFraction());
    if (delay !== null) {
      const now = clock.now().getTime();
      const dueAt = new Date(now + Math.max(delay, failure?.retryAfterMs ?? 0));
      const kept = pool.retries.isEndless && { expiresAt: new Date(now + RETENTION_MS) };
      return outcomes.record({ row, change: { ...outcome, ...kept, dueAt } });
    }
    outcomes.record({ row, change: { ...outcome, status: 'dead' } });
    log.warn({ id: row._id.toHexString(), topic: row.topic, lastError }, 'delivery given up');
  }

  /** Delivers one row; resolves with its error, or null. */
  async function deliver(
    row: OutboxDocument,
    { deliver: send }: Deliverer,
    hints: DeliveryHints,
  ): Promise<{ error: unknown } | null> {
    try {
      const result = await send(row, hints);
      const change = { status: 'done', lastError: null, ...(result && { result }) } as const;
      outcomes.record({ row, change });
      return null;
    } catch (error) {
      retryLater(row, error);
      return { error };
    }
  }

  /** Delivers rows together; after a failure one by one, so that a bad row does not block the others. */
  async function deliverTogether(
    some: readonly OutboxDocument[],
    deliverer: JointDeliverer,
  ): Promise<void> {
    try {
      await deliverer.deliverTogether(some);
    } catch (error) {
      const [first, ...others] = some;
      if (first && others.length === 0) return retryLater(first, error);
      for (const one of some) await deliverTogether([one], deliverer);
    }
  }

  /** Restores the row to its state before the claim. */
  function giveBack({ row, wasDueAt }: Claimed): void {
    outcomes.record({ row, change: { dueAt: wasDueAt, attempts: row.attempts - 1 } });
  }

  /** Delivers the row, alone or jointly with the waiting rows of its topic; resolves with the number of rows. */
  async function attempt(row: OutboxDocument, slot: DeliverySlot): Promise<number> {
    const { topic } = row;
    const deliverer = deliverers[topic];
    if (!deliverer) return 0;
    if (!('deliver' in deliverer)) {
      const some = [row, ...slot.takeOthers(topic)];
      await deliverTogether(some, deliverer);
      return some.length;
    }
    const start = elapsed();
    const hints = { isSuspect: slot.isSuspect() };
    const failure = await deliver(row, deliverer, hints);
    const { error } = failure ?? {};
    const hasTimedOut = error instanceof DeliveryFailure && error.hasTimedOut;
    const end = { ms: elapsed() - start, hasFailed: failure !== null, hasTimedOut };
    slot.recordDelivery({ ...end, wasSuspect: hints.isSuspect }).forEach(giveBack);
    return 1;
  }

  /** Delivers the waiting rows of the lane one by one; resolves with the number of rows. */
  async function drainLane(slot: DeliverySlot): Promise<number> {
    let attempted = 0;
    try {
      for (;;) {
        slot.takeLate(isStopping).forEach(giveBack);
        const row = slot.takeNext();
        if (!row) return attempted;
        attempted += await attempt(row, slot);
      }
    } finally {
      slot.release();
    }
  }

  function begin({ row, claimed, surplus, slots }: LaneClaim): Promise<number>[] {
    surplus.forEach(giveBack);
    return lanes.begin(row, claimed, slots).map(drainLane);
  }

  return {
    async deliverDue() {
      const underWay = new Set<Promise<void>>();
      let attempted = 0;
      const follow = (work: Promise<number>): void => {
        const going: Promise<void> = work
          .then((count) => void (attempted += count))
          .finally(() => underWay.delete(going));
        underWay.add(going);
      };
      for (;;) {
        // Rows that were given back, or that a delivery wrote, are due now; an earlier query may have missed them.
        const hasAllEnded = underWay.size === 0;
        if (hasAllEnded) {
          await outcomes.flush();
          lanes.endFirstWaits();
        }
        const room = isStopping ? 0 : pool.slots - underWay.size;
        const claimed = room === 0 ? [] : await claims.claimNext(lanes, room);
        for (const work of claimed.flatMap(begin)) follow(work);
        if (claimed.length > 0) continue;
        if (hasAllEnded) return attempted;
        if (underWay.size > 0) await Promise.race([...underWay, sleep(timer, LOOK_MS)]);
      }
    },

    stopDelivery() {
      isStopping = true;
    },

    ...createBacklog({ rows, topics, hasPromptRetries: pool.retries.isEndless, clock }),
  };
}

const isOrdered = (deliverer: Deliverer | JointDeliverer | undefined): boolean =>
  deliverer !== undefined && 'deliver' in deliverer && deliverer.isOrdered === true;

/** Uses only the message of a DeliveryFailure, which is written for the delivery log. */
function toErrorText(error: unknown): string {
  return error instanceof DeliveryFailure ? error.message : String(error);
}
