// The outbox: a row for everything to be delivered outside the process, written in the transaction of its cause.
import { Schema } from 'mongoose';
import { CREATED, defineCollection, type DocumentOf, typeAs } from '../mongo/collection.ts';

/** Longer than the schedule of retries. */
export const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

export const outboxSchema = defineCollection(
  'outbox',
  {
    /** Selects the deliverer, for example `mail`. */
    topic: { type: String, required: true },
    /** Lane of one receiver or record of one organisation: rows of a lane never delay those of another. */
    lane: String,
    /** Workspace of the event, if it has one. */
    workspaceId: String,
    /** The record that the row is about; its erasure removes the row. */
    subject: String,
    /** Sequence of the chain entry that the row is about. */
    sequence: Number,
    payload: typeAs<Record<string, unknown>>({ type: Schema.Types.Mixed, required: true }),
    /** `dead`: given up after the last retry. */
    status: { type: String, enum: ['pending', 'done', 'dead'], default: 'pending' },
    attempts: { type: Number, default: 0 },
    /** When to deliver next; while a worker has the row, the end of its lease. */
    dueAt: { type: Date, required: true },
    /** The claim by which a worker has the row, or had it last: only that worker settles it. */
    claim: Schema.Types.ObjectId,
    lastError: { type: String, default: null },
    /** Result of the last attempt, if its deliverer reports one. */
    result: typeAs<{ statusCode: number | null; durationMs: number; at: Date } | undefined>(
      Schema.Types.Mixed,
    ),
    /** When the database removes the row, delivered or not. */
    expiresAt: { type: Date, required: true },
  },
  { timestamps: CREATED, minimize: false },
);
export interface OutboxDocument extends DocumentOf<typeof outboxSchema> {}
outboxSchema.index(
  { topic: 1, status: 1, organizationId: 1, lane: 1, dueAt: 1 },
  { name: 'due', partialFilterExpression: { status: 'pending' } },
);
outboxSchema.index(
  { organizationId: 1, lane: 1, createdAt: -1, _id: -1 },
  { name: 'log', partialFilterExpression: { lane: { $exists: true } } },
);
outboxSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });
outboxSchema.index(
  { organizationId: 1, subject: 1 },
  { name: 'subject', partialFilterExpression: { subject: { $exists: true } } },
);
