// The cursors of consumers, one for each organisation, and their dead letters.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export interface CursorDocument {
  _id: Types.ObjectId;
  consumer: string;
  organizationId: Types.ObjectId;
  /** Every entry up to here has had its effect. */
  sequence: number;
}

export const cursorSchema = new Schema<CursorDocument>(
  { consumer: { type: String, required: true }, sequence: { type: Number, required: true } },
  { collection: 'cursors', versionKey: false, autoIndex: false },
);
cursorSchema.plugin(guardTenancy);
cursorSchema.index({ organizationId: 1, consumer: 1 }, { name: 'cursor', unique: true });

/** An entry whose effect kept failing; the consumer has continued without it. */
export interface DeadLetterDocument {
  _id: Types.ObjectId;
  consumer: string;
  organizationId: Types.ObjectId;
  sequence: number;
  /** The trace that the entry is about. */
  traceId: string | null;
  /** Null: the trace was erased. */
  error: string | null;
  at: Date;
}

export const deadLetterSchema = new Schema<DeadLetterDocument>(
  {
    consumer: { type: String, required: true },
    sequence: { type: Number, required: true },
    traceId: { type: String, default: null },
    error: { type: String, default: null },
    at: { type: Date, required: true },
  },
  { collection: 'parked', versionKey: false, autoIndex: false },
);
deadLetterSchema.plugin(guardTenancy);
deadLetterSchema.index(
  { organizationId: 1, consumer: 1, sequence: 1 },
  { name: 'parked', unique: true },
);
deadLetterSchema.index({ organizationId: 1, traceId: 1 }, { name: 'subject' });
