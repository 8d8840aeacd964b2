// The outbox's worker: claims due rows, delivers them, retries on a schedule, and gives up what keeps failing as a dead letter.
import type { Model } from 'mongoose';
import { retryDelay } from '../../domain/retry-schedule.ts';
import type { Clock } from '../clock.ts';
import { type Backlog, createBacklog } from './backlog.ts';
import { createClaims, type LaneClaim } from './claims.ts';
import type { Deliverer, Deliverers, DeliveryHints, JointDeliverer } from './deliverers.ts';
import { DeliveryFailure } from './delivery-failure.ts';
import { createLanes, type Claimed, type DeliverySlot } from './lanes.ts';
import { createOutcomes } from './outcomes.ts';
import { truncate } from '../../domain/names/truncate.ts';
import { type OutboxDocument, RETENTION_MS } from './outbox.model.ts';
import type { OutboxPool } from './pools.ts';

export interface OutboxWorker extends Backlog {
  /** Delivers what is due, and what becomes due meanwhile; resolves with the number of rows attempted. */
  run(): Promise<number>;
  /** Begins nothing more; what is under way ends by itself. */
  stop(): void;
}

/** While something is under way, how often to look for what has become due. */
const LOOK_MS = 250;
const MAX_ERROR_LENGTH = 500;

interface WorkerDeps {
  pool: OutboxPool;
  rows: Model<OutboxDocument>;
  deliverers: Deliverers;
  clock: Clock;
  chance: () => number;
  log: { warn(details: object, text: string): void };
}

/** Rows whose topic has no deliverer stay as they are until they expire. */
export function createOutboxWorker(deps: WorkerDeps): OutboxWorker {
  const { pool, rows, deliverers, clock, chance, log } = deps;
  const topics = Object.keys(deliverers);
  const ordered = new Set(topics.filter((topic) => isOrdered(deliverers[topic])));
  const lanes = createLanes({ pool, ordered });
  const claims = createClaims({ rows, topics, ordered, clock });
  const outcomes = createOutcomes({ rows, deliverers, log });
  let isStopping = false;

  function retryLater(row: OutboxDocument, error: unknown): void {
    const lastError = truncate(messageOf(error), MAX_ERROR_LENGTH);
    const failure = error instanceof DeliveryFailure ? error : null;
    const told = { lastError, ...(failure?.result && { result: failure.result }) };
    const delay = failure?.isFinal ? null : retryDelay(pool.retries, row.attempts, chance());
    if (delay !== null) {
      const now = clock.now().getTime();
      const dueAt = new Date(now + Math.max(delay, failure?.retryAfterMs ?? 0));
      const kept = pool.retries.isEndless && { expiresAt: new Date(now + RETENTION_MS) };
      return outcomes.note({ row, change: { ...told, ...kept, dueAt } });
    }
    outcomes.note({ row, change: { ...told, status: 'dead' } });
    log.warn({ id: row._id.toHexString(), topic: row.topic, lastError }, 'delivery given up');
  }

  /** Resolves with why it failed, or null. */
  async function deliver(
    row: OutboxDocument,
    { deliver: send }: Deliverer,
    hints: DeliveryHints,
  ): Promise<{ error: unknown } | null> {
    try {
      const result = await send(row, hints);
      const change = { status: 'done', lastError: null, ...(result && { result }) } as const;
      outcomes.note({ row, change });
      return null;
    } catch (error) {
      retryLater(row, error);
      return { error };
    }
  }

  /** One that fails by itself keeps no others. */
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

  /** As it was before its claim. */
  function giveBack({ row, wasDueAt }: Claimed): void {
    outcomes.note({ row, change: { dueAt: wasDueAt, attempts: row.attempts - 1 } });
  }

  /** Delivers the row, alone or together with the others of its topic that wait in the lane; resolves with the number of rows. */
  async function attempt(row: OutboxDocument, slot: DeliverySlot): Promise<number> {
    const { topic } = row;
    const deliverer = deliverers[topic];
    if (!deliverer) return 0;
    if (!('deliver' in deliverer)) {
      const some = [row, ...slot.others(topic)];
      await deliverTogether(some, deliverer);
      return some.length;
    }
    const start = performance.now();
    const hints = { isSuspect: slot.isSuspect() };
    const failure = await deliver(row, deliverer, hints);
    const { error } = failure ?? {};
    const hasTimedOut = error instanceof DeliveryFailure && error.hasTimedOut;
    const end = { ms: performance.now() - start, hasFailed: failure !== null, hasTimedOut };
    slot.delivered({ ...end, wasSuspect: hints.isSuspect }).forEach(giveBack);
    return 1;
  }

  /** Delivers what waits in the lane, one after another; resolves with the number of rows. */
  async function work(slot: DeliverySlot): Promise<number> {
    let attempted = 0;
    try {
      for (;;) {
        slot.late(isStopping).forEach(giveBack);
        const row = slot.next();
        if (!row) return attempted;
        attempted += await attempt(row, slot);
      }
    } finally {
      slot.leave();
    }
  }

  function begin({ row, claimed, surplus, slots }: LaneClaim): Promise<number>[] {
    surplus.forEach(giveBack);
    lanes.begin(row, claimed);
    return Array.from({ length: slots }, () => work(lanes.occupySlot(row)));
  }

  return {
    async run() {
      const underWay = new Set<Promise<void>>();
      let attempted = 0;
      const follow = (work: Promise<number>): void => {
        const going: Promise<void> = work
          .then((count) => void (attempted += count))
          .finally(() => underWay.delete(going));
        underWay.add(going);
      };
      for (;;) {
        // What was given back, or written by a delivery, is due by now: a look that began before its end may have missed it.
        const hasAllEnded = underWay.size === 0;
        if (hasAllEnded) {
          await outcomes.written();
          lanes.endHeadWaits();
        }
        const room = isStopping ? 0 : pool.slots - underWay.size;
        const claimed = room === 0 ? [] : await claims.next(lanes, room);
        for (const work of claimed.flatMap(begin)) follow(work);
        if (claimed.length > 0) continue;
        if (hasAllEnded) return attempted;
        if (underWay.size > 0) await Promise.race([...underWay, pause()]);
      }
    },

    stop() {
      isStopping = true;
    },

    ...createBacklog({ rows, topics, hasPromptRetries: pool.retries.isEndless, clock }),
  };
}

const isOrdered = (deliverer: Deliverer | JointDeliverer | undefined): boolean =>
  deliverer !== undefined && 'deliver' in deliverer && deliverer.isOrdered === true;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LOOK_MS).unref());

/** Of an error that is meant for the log of deliveries, its text alone. */
function messageOf(error: unknown): string {
  return error instanceof DeliveryFailure ? error.message : String(error);
}
