// The outbox: a row for everything to be delivered outside the process, written in the transaction of its cause.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../mongo/tenancy.ts';

/** Longer than the schedule of retries. */
export const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

export interface OutboxDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** Selects the deliverer, for example `mail`. */
  topic: string;
  /** Lane of one receiver or record of one organisation: rows of a lane never delay those of another. */
  lane?: string;
  /** Workspace of the event, if it has one. */
  workspaceId?: string;
  /** The record that the row is about; its erasure removes the row. */
  subject?: string;
  /** Sequence of the chain entry that the row is about. */
  sequence?: number;
  payload: Record<string, unknown>;
  /** `dead`: given up after the last retry. */
  status: 'pending' | 'done' | 'dead';
  attempts: number;
  /** When to deliver next; while a worker holds the row, the end of its lease. */
  dueAt: Date;
  /** The claim by which a worker holds the row, or held it last: only its holder settles it. */
  claim?: Types.ObjectId;
  lastError: string | null;
  /** Result of the last attempt, if its deliverer reports one. */
  result?: { statusCode: number | null; durationMs: number; at: Date };
  /** When the database removes the row, delivered or not. */
  expiresAt: Date;
  createdAt: Date;
}

export const outboxSchema = new Schema<OutboxDocument>(
  {
    topic: { type: String, required: true },
    lane: String,
    workspaceId: String,
    subject: String,
    sequence: Number,
    payload: { type: Schema.Types.Mixed, required: true },
    status: { type: String, enum: ['pending', 'done', 'dead'], default: 'pending' },
    attempts: { type: Number, default: 0 },
    dueAt: { type: Date, required: true },
    claim: Schema.Types.ObjectId,
    lastError: { type: String, default: null },
    result: Schema.Types.Mixed,
    expiresAt: { type: Date, required: true },
  },
  {
    collection: 'outbox',
    timestamps: { createdAt: true, updatedAt: false },
    autoIndex: false,
    minimize: false,
  },
);
outboxSchema.plugin(guardTenancy);
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
