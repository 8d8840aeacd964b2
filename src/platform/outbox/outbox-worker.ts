// The outbox's worker: leases due rows, delivers them, retries on a schedule, and gives up what keeps failing as a dead letter.
import { retryDelay } from '../../domain/retry-schedule.ts';
import type { Clock } from '../clock.ts';
import { DeliveryFailure } from './delivery-failure.ts';
import { createLanes, UNNAMED, type Lane, type Place } from './lanes.ts';
import type { OutboxDocument } from './outbox.model.ts';
import type { Model } from 'mongoose';

/** Delivers one row; rejects when that fails. What it resolves with, if anything, is kept as the row's `result`. */
export type Deliver = (row: OutboxDocument) => Promise<OutboxDocument['result'] | void>;

export interface OutboxWorker {
  /** Delivers what is due, and what becomes due meanwhile; resolves with the number of rows attempted. */
  run(): Promise<number>;
  /** Begins nothing more; what is under way ends by itself. */
  stop(): void;
  /** Rows that wait and rows that were given up, each counted up to 10,000. */
  backlog(): Promise<{ pending: number; dead: number }>;
}

const LEASE_MS = 60_000;
/** Deliveries at the same time, in all lanes. */
const WORKERS = 64;
/** While something is under way, how often to look for what has become due. */
const LOOK_MS = 250;
/** Rows of one lane that follow each other before it has to wait for its turn again. */
const IN_A_ROW = 20;
const MAX_ERROR_LENGTH = 500;
const MAX_COUNT = 10_000;
const COUNT_TIMEOUT_MS = 2000;
const anywhere = { crossTenant: true } as const;

/** Rows whose topic has no deliverer stay as they are until they expire. */
export function createOutboxWorker({
  rows,
  deliverers,
  clock,
  chance,
  log,
}: {
  rows: Model<OutboxDocument>;
  /** By topic. */
  deliverers: Readonly<Record<string, Deliver>>;
  clock: Clock;
  chance: () => number;
  log: { warn(details: object, text: string): void };
}): OutboxWorker {
  const topic = { $in: Object.keys(deliverers) };
  const lanes = createLanes();
  let isStopping = false;

  async function claimIn(lane: object): Promise<OutboxDocument | null> {
    const now = clock.now();
    return rows
      .findOneAndUpdate(
        { topic, status: 'pending', lane, dueAt: { $lte: now } },
        { $set: { dueAt: new Date(now.getTime() + LEASE_MS) }, $inc: { attempts: 1 } },
        { ...anywhere, sort: { lane: 1, dueAt: 1 }, returnDocument: 'after' },
      )
      .lean<OutboxDocument>();
  }

  /** The oldest row of the next lane that has one and may go on: lanes take turns, whatever waits in each. */
  async function claim(): Promise<OutboxDocument | null> {
    const $nin = lanes.closed();
    const after = lanes.last();
    const next = await claimIn({ $gt: after ?? '', $nin });
    const row = next ?? (await claimIn({ $nin }));
    if (row) lanes.entered(laneOf(row));
    return row;
  }

  /** Changes the row unless its lease has passed to another worker: `dueAt` identifies the lease. */
  async function settle(row: OutboxDocument, change: Partial<OutboxDocument>): Promise<void> {
    const { _id, organizationId, dueAt } = row;
    await rows.updateOne({ _id, organizationId, status: 'pending', dueAt }, { $set: change });
  }

  async function retryLater(row: OutboxDocument, error: unknown): Promise<void> {
    const lastError = messageOf(error).slice(0, MAX_ERROR_LENGTH);
    const failure = error instanceof DeliveryFailure ? error : null;
    const told = { lastError, ...(failure?.result && { result: failure.result }) };
    const delay = failure?.isFinal ? null : retryDelay(row.attempts, chance());
    if (delay !== null) {
      const wait = Math.max(delay, failure?.retryAfterMs ?? 0);
      return settle(row, { ...told, dueAt: new Date(clock.now().getTime() + wait) });
    }
    await settle(row, { ...told, status: 'dead' });
    log.warn({ id: row._id.toHexString(), topic: row.topic, lastError }, 'delivery given up');
  }

  async function deliver(row: OutboxDocument): Promise<void> {
    let result: OutboxDocument['result'] | void;
    try {
      result = await deliverers[row.topic]?.(row);
    } catch (error) {
      return retryLater(row, error);
    }
    await settle(row, { status: 'done', lastError: null, ...(result && { result }) });
  }

  /** Resolves also when the database fails: the lease then ends by itself. */
  async function attempt(row: OutboxDocument): Promise<void> {
    try {
      await deliver(row);
    } catch (error) {
      log.warn({ id: row._id.toHexString(), err: error }, 'outcome of a delivery not noted');
    }
  }

  /**
   * Delivers the row and what follows it in its lane, so that lanes go on beside each other and do not wait for one claim after another;
   * resolves with the number of rows. Of eight webhooks that answer at once (row deliveries).
   */
  async function goOnFrom(first: OutboxDocument): Promise<number> {
    const lane = laneOf(first);
    const place = lanes.takePlace(lane);
    let attempted = 0;
    try {
      for (let row: OutboxDocument | null = first; row; row = await following(lane, place)) {
        const start = performance.now();
        await attempt(row);
        place.delivered(performance.now() - start);
        attempted += 1;
        if (attempted === IN_A_ROW) break;
      }
    } finally {
      place.leave();
    }
    return attempted;
  }

  /** Null also when the database fails: the next turn of the lane asks again. */
  async function following(lane: Lane, place: Place): Promise<OutboxDocument | null> {
    if (isStopping || !place.mayGoOn()) return null;
    return claimIn({ $eq: lane }).catch(() => null);
  }

  return {
    async run() {
      const underWay = new Set<Promise<void>>();
      let attempted = 0;
      const go = async (row: OutboxDocument): Promise<void> => {
        const count = await goOnFrom(row);
        attempted += count;
      };
      for (;;) {
        const row = isStopping || underWay.size === WORKERS ? null : await claim();
        if (row) {
          const going: Promise<void> = go(row).finally(() => underWay.delete(going));
          underWay.add(going);
        } else if (underWay.size === 0) return attempted;
        else await Promise.race([...underWay, pause()]);
      }
    },

    stop() {
      isStopping = true;
    },

    async backlog() {
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

const laneOf = ({ lane }: OutboxDocument): Lane => lane ?? UNNAMED;
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LOOK_MS).unref());

/** Of an error that is meant for the log of deliveries, its text alone. */
function messageOf(error: unknown): string {
  return error instanceof DeliveryFailure ? error.message : String(error);
}
