// The outbox's worker: claims due rows with a lease, delivers them, retries on the schedule, parks what keeps failing.
import { retryDelay } from '../../domain/retry-schedule.ts';
import type { Clock } from '../clock.ts';
import type { OutboxDocument } from './outbox.model.ts';
import type { Model } from 'mongoose';

/** Delivers one row; a rejection is a failure. */
export type Deliver = (row: OutboxDocument) => Promise<void>;

interface Deps {
  rows: Model<OutboxDocument>;
  deliverers: Readonly<Record<string, Deliver>>;
  clock: Clock;
  chance: () => number;
  log: { warn(details: object, text: string): void };
}

const LEASE_MS = 60_000;
/** Deliveries at the same time: one server that does not answer holds up its own only. */
const LANES = 8;
const ERROR_LENGTH = 500;
const MOST_COUNTED = 10_000;
const COUNT_MS = 2000;
const anywhere = { crossTenant: true } as const;

/** Rows whose topic has no deliverer stay as they are until they expire. */
export function createOutboxWorker({ rows, deliverers, clock, chance, log }: Deps) {
  async function claim(): Promise<OutboxDocument | null> {
    const now = clock.now();
    return rows
      .findOneAndUpdate(
        { topic: { $in: Object.keys(deliverers) }, status: 'pending', dueAt: { $lte: now } },
        { $set: { dueAt: new Date(now.getTime() + LEASE_MS) }, $inc: { attempts: 1 } },
        { ...anywhere, sort: { dueAt: 1 }, returnDocument: 'after' },
      )
      .lean<OutboxDocument>();
  }

  /** What went wrong with the delivery; null when it succeeded. */
  async function failureOf(row: OutboxDocument): Promise<unknown> {
    try {
      await deliverers[row.topic]?.(row);
      return null;
    } catch (reason) {
      return reason ?? 'failed';
    }
  }

  /** Only the holder of the lease may: `dueAt` is its mark. */
  async function settle(row: OutboxDocument, change: Partial<OutboxDocument>): Promise<void> {
    const { _id, organizationId, dueAt } = row;
    await rows.updateOne({ _id, organizationId, status: 'pending', dueAt }, { $set: change });
  }

  async function retryLater(row: OutboxDocument, error: unknown): Promise<void> {
    const lastError = String(error).slice(0, ERROR_LENGTH);
    const delay = retryDelay(row.attempts, chance());
    if (delay !== null)
      return settle(row, { dueAt: new Date(clock.now().getTime() + delay), lastError });
    await settle(row, { status: 'dead', lastError });
    log.warn({ id: row._id.toHexString(), topic: row.topic, lastError }, 'delivery given up');
  }

  async function attempt(row: OutboxDocument): Promise<void> {
    const error = await failureOf(row);
    if (error === null) await settle(row, { status: 'done', lastError: null });
    else await retryLater(row, error);
  }

  /** One delivery after the other, while something is due; resolves with the number of rows tried. */
  async function lane(first: OutboxDocument | null): Promise<number> {
    let tried = 0;
    for (let row = first ?? (await claim()); row; row = await claim()) {
      tried += 1;
      await attempt(row);
    }
    return tried;
  }

  return {
    /** Delivers what is due; resolves with the number of rows tried. */
    async run(): Promise<number> {
      const first = await claim();
      if (!first) return 0;
      const lanes = await Promise.all(
        Array.from({ length: LANES }, (_, at) => lane(at === 0 ? first : null)),
      );
      return lanes.reduce((sum, tried) => sum + tried, 0);
    },

    /** Rows that wait for a worker and rows that were parked, each counted as far as 10,000. */
    async backlog(): Promise<{ pending: number; dead: number }> {
      const topic = { $in: Object.keys(deliverers) };
      const count = (status: string): Promise<number> =>
        rows.collection.countDocuments(
          { topic, status },
          { limit: MOST_COUNTED, timeoutMS: COUNT_MS },
        );
      const [pending, dead] = await Promise.all([count('pending'), count('dead')]);
      return { pending, dead };
    },
  };
}
export type OutboxWorker = ReturnType<typeof createOutboxWorker>;
