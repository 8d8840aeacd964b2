// The outbox: one row for everything that is to leave the process, written with the change that causes it.
import { Schema, type Types } from 'mongoose';
import { tenancy } from '../mongo/tenancy.ts';

export interface OutboxDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** Which worker delivers it, for example `event`. */
  topic: string;
  payload: Record<string, unknown>;
  status: 'pending' | 'done' | 'dead';
  attempts: number;
  /** Not before this moment; while a worker holds a row, the end of its lease. */
  dueAt: Date;
  lastError: string | null;
  /** The database removes the row after this moment, delivered or not. */
  expiresAt: Date;
  createdAt: Date;
}

export const outboxSchema = new Schema<OutboxDocument>(
  {
    topic: { type: String, required: true },
    payload: { type: Schema.Types.Mixed, required: true },
    status: { type: String, enum: ['pending', 'done', 'dead'], default: 'pending' },
    attempts: { type: Number, default: 0 },
    dueAt: { type: Date, required: true },
    lastError: { type: String, default: null },
    expiresAt: { type: Date, required: true },
  },
  {
    collection: 'outbox',
    timestamps: { createdAt: true, updatedAt: false },
    autoIndex: false,
    minimize: false,
  },
);
outboxSchema.plugin(tenancy);
outboxSchema.index(
  { topic: 1, status: 1, dueAt: 1 },
  { name: 'due', partialFilterExpression: { status: 'pending' } },
);
outboxSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });
