// Writes outbox rows in the transaction of the change that causes them.
import type { ClientSession, Model, mongo } from 'mongoose';
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
  write(rows: readonly OutboxRow[], session: mongo.ClientSession | null): Promise<void>;
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
      } as const;
      await model.insertMany(
        rows.map((row) => ({ ...row, ...waiting })),
        { session: session as ClientSession | null },
      );
    },
  };
}
