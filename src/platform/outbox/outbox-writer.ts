// Writes outbox rows in the transaction of the change that causes them.
import { type Model, type mongo, Types } from 'mongoose';
import type { Clock } from '../clock.ts';
import type { OutboxDocument } from './outbox.model.ts';

export interface OutboxRow {
  /** 24 hex digits. */
  organizationId: string;
  topic: string;
  /** The record that it tells of, if that may be erased. */
  subject?: string;
  payload: Record<string, unknown>;
}

export interface OutboxWriter {
  /** Writes rows, in the current transaction if there is one. */
  queue(...rows: OutboxRow[]): Promise<void>;
  /** Writes rows in the session's transaction. They are due at once, and expire after the retention, delivered or not. */
  write(rows: readonly OutboxRow[], session: mongo.ClientSession): Promise<void>;
  /**
   * Adds to the `count` of the row of the same topic and subject that nobody has tried to deliver yet, or writes one that is due in a
   * minute, in the session's transaction. `at` is the newest.
   */
  gather(
    row: OutboxRow & { subject: string },
    more: { count: number; at: Date },
    session: mongo.ClientSession,
  ): Promise<void>;
  /** Removes the rows about records that were erased, delivered or not, in the session's transaction. */
  withdraw(
    organizationId: string,
    subjects: readonly string[],
    session: mongo.ClientSession,
  ): Promise<void>;
}

/** Longer than the schedule of retries. */
const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;
const GATHER_MS = 60_000;

export function createOutboxWriter({
  rows: model,
  clock,
}: {
  rows: Model<OutboxDocument>;
  clock: Clock;
}): OutboxWriter {
  const pending = () => {
    const now = clock.now();
    const expiresAt = new Date(now.getTime() + RETENTION_MS);
    return {
      status: 'pending',
      attempts: 0,
      dueAt: now,
      lastError: null,
      expiresAt,
      createdAt: now,
    } as const;
  };
  return {
    async queue(...rows) {
      const common = pending();
      await model.insertMany(rows.map((row) => ({ ...row, ...common })));
    },
    async write(rows, session) {
      if (rows.length === 0) return;
      const common = pending();
      await model.collection.insertMany(
        rows.map(({ organizationId, topic, subject, payload }) => ({
          _id: new Types.ObjectId(),
          organizationId: new Types.ObjectId(organizationId),
          topic,
          ...(subject !== undefined && { subject }),
          payload,
          ...common,
        })),
        { session },
      );
    },
    async gather({ organizationId, topic, subject, payload }, { count, at }, session) {
      const { dueAt, status, attempts, ...common } = pending();
      const members = Object.entries(payload).map(([name, value]) => [`payload.${name}`, value]);
      await model.collection.updateOne(
        { organizationId: new Types.ObjectId(organizationId), topic, subject, status, attempts },
        {
          $inc: { 'payload.count': count },
          $max: { 'payload.at': at },
          $set: Object.fromEntries(members) as object,
          $setOnInsert: { dueAt: new Date(dueAt.getTime() + GATHER_MS), ...common },
        },
        { upsert: true, session },
      );
    },
    async withdraw(organizationId, subjects, session) {
      const filter = {
        organizationId: new Types.ObjectId(organizationId),
        subject: { $in: [...subjects] },
      };
      await model.collection.deleteMany(filter, { session });
    },
  };
}
