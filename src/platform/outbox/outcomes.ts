// Stores the outcomes of deliveries in batches: one write per outcome would take longer than the delivery.
import type { Model } from 'mongoose';
import type { Timer } from '../concurrency/timer.ts';
import type { Deliverers } from './deliverers.ts';
import type { OutboxDocument } from './outbox.model.ts';

export interface DeliveryOutcome {
  row: OutboxDocument;
  change: Partial<OutboxDocument>;
}

export interface DeliveryOutcomes {
  /** Stores the outcome within 100 ms, unless the row was claimed elsewhere, renewed or withdrawn in the meantime. */
  record(outcome: DeliveryOutcome): void;
  /** Resolves when all outcomes so far are written, also when the database fails: leases then expire. */
  flush(): Promise<void>;
}

/** Outcomes of this time may be lost in a crash, whose deliveries are then repeated. */
const GATHER_MS = 100;

export function createOutcomes({
  rows,
  deliverers,
  timer,
  log,
}: {
  rows: Model<OutboxDocument>;
  deliverers: Deliverers;
  timer: Timer;
  log: { warn(details: object, text: string): void };
}): DeliveryOutcomes {
  let noted: DeliveryOutcome[] = [];
  let cancelFlush: (() => void) | undefined;
  let writing: Promise<void> | undefined;

  async function notifyDeliverers(outcomes: readonly DeliveryOutcome[]): Promise<void> {
    const done = outcomes.filter(({ change }) => change.status === 'done').map(({ row }) => row);
    const topics = [...new Set(done.map(({ topic }) => topic))];
    const notifications = topics.map(async (topic) => {
      const deliverer = deliverers[topic];
      if (deliverer && 'delivered' in deliverer)
        await deliverer.delivered?.(done.filter((row) => row.topic === topic));
    });
    await Promise.all(notifications);
  }

  async function write(outcomes: readonly DeliveryOutcome[]): Promise<void> {
    const updates = outcomes.map(({ row: { _id, organizationId, claim }, change }) => {
      const filter = { _id, organizationId, status: 'pending', claim } as const;
      return { updateOne: { filter, update: { $set: change } } };
    });
    const [stored, notified] = await Promise.allSettled([
      rows.collection.bulkWrite(updates as never, { ordered: false }),
      notifyDeliverers(outcomes),
    ]);
    for (const one of [stored, notified])
      if (one.status === 'rejected')
        log.warn({ rows: outcomes.length, err: one.reason }, 'outcomes of deliveries not noted');
  }

  async function writeAll(): Promise<void> {
    while (noted.length > 0) {
      const some = noted;
      noted = [];
      await write(some);
    }
  }

  async function flush(): Promise<void> {
    cancelFlush?.();
    cancelFlush = undefined;
    while (writing ?? noted.length > 0)
      await (writing ??= writeAll().finally(() => (writing = undefined)));
  }

  return {
    record(outcome) {
      noted.push(outcome);
      cancelFlush ??= timer.schedule(GATHER_MS, () => void flush());
    },
    flush,
  };
}
