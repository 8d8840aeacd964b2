// Writes outbox rows in the transaction of the change that causes them.
import { type Model, type mongo, Types } from 'mongoose';
import type { Clock } from './clock.ts';
import type { OutboxDocument } from './outbox.model.ts';

export interface OutboxRow {
  /** 24 hex digits. */
  organizationId: string;
  topic: string;
  payload: Record<string, unknown>;
}

export interface OutboxWriter {
  /** Rows are due at once; they are gone after the retention, delivered or not. */
  write(rows: readonly OutboxRow[], session: mongo.ClientSession): Promise<void>;
}

/** Longer than the retry schedule. */
const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

export function createOutboxWriter({
  rows: model,
  clock,
}: {
  rows: Model<OutboxDocument>;
  clock: Clock;
}): OutboxWriter {
  return {
    async write(rows, session) {
      if (rows.length === 0) return;
      const now = clock.now();
      const waiting = {
        status: 'pending',
        attempts: 0,
        dueAt: now,
        lastError: null,
        expiresAt: new Date(now.getTime() + RETENTION_MS),
        createdAt: now,
      } as const;
      // Past Mongoose, which takes longer over one row than the database over ten.
      await model.collection.insertMany(
        rows.map(({ organizationId, topic, payload }) => ({
          ...{ _id: new Types.ObjectId(), organizationId: new Types.ObjectId(organizationId), topic, payload },
          ...waiting,
        })),
        { session },
      );
    },
  };
}
