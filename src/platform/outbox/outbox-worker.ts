// The outbox's worker: leases due rows, delivers them, retries on a schedule, and gives up what keeps failing as a dead letter.
import { retryDelay } from '../../domain/retry-schedule.ts';
import type { Clock } from '../clock.ts';
import type { OutboxDocument } from './outbox.model.ts';
import type { Model } from 'mongoose';

/** Delivers one row; rejects when that fails. */
export type Deliver = (row: OutboxDocument) => Promise<void>;

export interface OutboxWorker {
  /** Delivers what is due; resolves with the number of rows attempted. */
  run(): Promise<number>;
  /** Rows that wait and rows that were given up, each counted up to 10,000. */
  backlog(): Promise<{ pending: number; dead: number }>;
}

const LEASE_MS = 60_000;
/** Deliveries at the same time: a server that does not answer holds up one of them only. */
const WORKERS = 8;
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

  async function claim(): Promise<OutboxDocument | null> {
    const now = clock.now();
    return rows
      .findOneAndUpdate(
        { topic, status: 'pending', dueAt: { $lte: now } },
        { $set: { dueAt: new Date(now.getTime() + LEASE_MS) }, $inc: { attempts: 1 } },
        { ...anywhere, sort: { dueAt: 1 }, returnDocument: 'after' },
      )
      .lean<OutboxDocument>();
  }

  /** Changes the row unless its lease has passed to another worker: `dueAt` identifies the lease. */
  async function settle(row: OutboxDocument, change: Partial<OutboxDocument>): Promise<void> {
    const { _id, organizationId, dueAt } = row;
    await rows.updateOne({ _id, organizationId, status: 'pending', dueAt }, { $set: change });
  }

  async function retryLater(row: OutboxDocument, error: unknown): Promise<void> {
    const lastError = String(error).slice(0, MAX_ERROR_LENGTH);
    const delay = retryDelay(row.attempts, chance());
    if (delay !== null)
      return settle(row, { dueAt: new Date(clock.now().getTime() + delay), lastError });
    await settle(row, { status: 'dead', lastError });
    log.warn({ id: row._id.toHexString(), topic: row.topic, lastError }, 'delivery given up');
  }

  async function deliver(row: OutboxDocument): Promise<void> {
    try {
      await deliverers[row.topic]?.(row);
    } catch (error) {
      return retryLater(row, error);
    }
    await settle(row, { status: 'done', lastError: null });
  }

  /** Delivers one row after the other while any is due; resolves with their number. */
  async function work(first: OutboxDocument | null): Promise<number> {
    let attempted = 0;
    for (let row = first ?? (await claim()); row; row = await claim()) {
      attempted += 1;
      await deliver(row);
    }
    return attempted;
  }

  return {
    async run() {
      const first = await claim();
      if (!first) return 0;
      const attempted = await Promise.all(
        Array.from({ length: WORKERS }, (_, index) => work(index === 0 ? first : null)),
      );
      return attempted.reduce((sum, count) => sum + count, 0);
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
