// Interface of the functions that deliver the rows of a topic.
import type { OutboxDocument } from './outbox.model.ts';

export interface DeliveryHints {
  /** The receiver timed out recently: use a shorter timeout. */
  isSuspect: boolean;
}

/** Delivers one row; rejects when that fails. A resolved value is stored as the row's `result`. */
export type Deliver = (
  row: OutboxDocument,
  hints: DeliveryHints,
) => Promise<OutboxDocument['result'] | void>;

export interface Deliverer {
  deliver: Deliver;
  /** Rows of a lane are delivered one by one, oldest first; rows behind a failed one wait for it. */
  isOrdered?: boolean;
  /** Called with batches of delivered rows while their outcome is stored. */
  delivered?(rows: readonly OutboxDocument[]): Promise<void>;
}

/** Delivers rows of one lane together and settles them itself; rejects when any of them fails. */
export interface JointDeliverer {
  deliverTogether(rows: readonly OutboxDocument[]): Promise<void>;
}

/** Deliverers by topic. */
export type Deliverers = Readonly<Record<string, Deliverer | JointDeliverer>>;
