// What delivers the rows of a topic.
import type { OutboxDocument } from './outbox.model.ts';

/** Delivers one row; rejects when that fails. What it resolves with, if anything, is kept as the row's `result`. */
export type Deliver = (row: OutboxDocument) => Promise<OutboxDocument['result'] | void>;

export interface Deliverer {
  deliver: Deliver;
  /** Is told of rows that were delivered, some at a time, when that is noted. */
  delivered?(rows: readonly OutboxDocument[]): Promise<void>;
}

/** Delivers rows of one lane together, and settles them by itself; rejects when that fails for any. */
export interface JointDeliverer {
  deliverTogether(rows: readonly OutboxDocument[]): Promise<void>;
}

/** By topic. */
export type Deliverers = Readonly<Record<string, Deliverer | JointDeliverer>>;
