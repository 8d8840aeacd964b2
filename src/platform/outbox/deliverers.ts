// What delivers the rows of a topic.
import type { OutboxDocument } from './outbox.model.ts';

export interface DeliveryHints {
  /** The receiver did not answer in time of late: less time is enough for it now. */
  isSuspect: boolean;
}

/** Delivers one row; rejects when that fails. What it resolves with, if anything, is kept as the row's `result`. */
export type Deliver = (
  row: OutboxDocument,
  hints: DeliveryHints,
) => Promise<OutboxDocument['result'] | void>;

export interface Deliverer {
  deliver: Deliver;
  /** Rows of a lane are delivered one after another, in the order in which they were written: what follows a failed one waits for it. */
  isOrdered?: boolean;
  /** Is told of rows that were delivered, some at a time, when that is noted. */
  delivered?(rows: readonly OutboxDocument[]): Promise<void>;
}

/** Delivers rows of one lane together, and settles them by itself; rejects when that fails for any. */
export interface JointDeliverer {
  deliverTogether(rows: readonly OutboxDocument[]): Promise<void>;
}

/** By topic. */
export type Deliverers = Readonly<Record<string, Deliverer | JointDeliverer>>;
