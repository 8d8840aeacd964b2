// The outbox's worker: claims due rows, delivers them, retries on a schedule, and gives up what keeps failing as a dead letter.
import type { Model } from 'mongoose';
import { retryDelay } from '../../domain/retry-schedule.ts';
import type { Clock } from '../clock.ts';
import { createClaims, type Turn } from './claims.ts';
import type { Deliverer, Deliverers, JointDeliverer } from './deliverers.ts';
import { DeliveryFailure } from './delivery-failure.ts';
import { createLanes, type Claimed, type Place } from './lanes.ts';
import { createOutcomes } from './outcomes.ts';
import type { OutboxDocument } from './outbox.model.ts';

export interface OutboxWorker {
  /** Delivers what is due, and what becomes due meanwhile; resolves with the number of rows attempted. */
  run(): Promise<number>;
  /** Begins nothing more; what is under way ends by itself. */
  stop(): void;
  /** Rows that wait and rows that were given up, each counted up to 10,000. */
  backlog(): Promise<{ pending: number; dead: number }>;
}

/** Deliveries at the same time, in all lanes. */
const WORKERS = 64;
/** While something is under way, how often to look for what has become due. */
const LOOK_MS = 250;
const MAX_ERROR_LENGTH = 500;
const MAX_COUNT = 10_000;
const COUNT_TIMEOUT_MS = 2000;

/** Rows whose topic has no deliverer stay as they are until they expire. */
export function createOutboxWorker({
  rows,
  deliverers,
  clock,
  chance,
  log,
}: {
  rows: Model<OutboxDocument>;
  deliverers: Deliverers;
  clock: Clock;
  chance: () => number;
  log: { warn(details: object, text: string): void };
}): OutboxWorker {
  const topics = Object.keys(deliverers);
  const lanes = createLanes();
  const claims = createClaims({ rows, topics, clock });
  const outcomes = createOutcomes({ rows, deliverers, log });
  let isStopping = false;

  function retryLater(row: OutboxDocument, error: unknown): void {
    const lastError = messageOf(error).slice(0, MAX_ERROR_LENGTH);
    const failure = error instanceof DeliveryFailure ? error : null;
    const told = { lastError, ...(failure?.result && { result: failure.result }) };
    const delay = failure?.isFinal ? null : retryDelay(row.attempts, chance());
    if (delay !== null) {
      const wait = Math.max(delay, failure?.retryAfterMs ?? 0);
      const dueAt = new Date(clock.now().getTime() + wait);
      return outcomes.note({ row, change: { ...told, dueAt } });
    }
    outcomes.note({ row, change: { ...told, status: 'dead' } });
    log.warn({ id: row._id.toHexString(), topic: row.topic, lastError }, 'delivery given up');
  }

  async function deliver(row: OutboxDocument, deliverer: Deliverer): Promise<void> {
    try {
      const result = await deliverer.deliver(row);
      const change = { status: 'done', lastError: null, ...(result && { result }) } as const;
      outcomes.note({ row, change });
    } catch (error) {
      retryLater(row, error);
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
  async function attempt(row: OutboxDocument, place: Place): Promise<number> {
    const { topic } = row;
    const deliverer = deliverers[topic];
    if (!deliverer) return 0;
    if ('deliver' in deliverer) {
      await deliver(row, deliverer);
      return 1;
    }
    const some = [row, ...place.others(topic)];
    await deliverTogether(some, deliverer);
    return some.length;
  }

  /** Delivers what waits in the lane, one after another; resolves with the number of rows. */
  async function work(place: Place): Promise<number> {
    let attempted = 0;
    try {
      for (;;) {
        place.late(isStopping).forEach(giveBack);
        const row = place.next();
        if (!row) return attempted;
        const start = performance.now();
        attempted += await attempt(row, place);
        place.delivered(performance.now() - start);
      }
    } finally {
      place.leave();
    }
  }

  function begin({ lane, claimed, places }: Turn): Promise<number>[] {
    lanes.begin(lane, claimed);
    return Array.from({ length: places }, () => work(lanes.takePlace(lane)));
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
        if (hasAllEnded) await outcomes.written();
        const room = isStopping ? 0 : WORKERS - underWay.size;
        const turns = room === 0 ? [] : await claims.next(lanes, room);
        for (const work of turns.flatMap(begin)) follow(work);
        if (turns.length > 0) continue;
        if (hasAllEnded) return attempted;
        if (underWay.size > 0) await Promise.race([...underWay, pause()]);
      }
    },

    stop() {
      isStopping = true;
    },

    async backlog() {
      const topic = { $in: topics };
      const count = (status: string): Promise<number> =>
        rows.collection.countDocuments(
          { topic, status },
          { limit: MAX_COUNT, timeoutMS: COUNT_TIMEOUT_MS },
        );
      const [pending, dead] = await Promise.all([count('pending'), count('dead')]);
      return { pending, dead };
    },
  };
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LOOK_MS).unref());

/** Of an error that is meant for the log of deliveries, its text alone. */
function messageOf(error: unknown): string {
  return error instanceof DeliveryFailure ? error.message : String(error);
}
