// The span of each guarding decision: the first one with its action. Any other is an observed call of its own.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export interface GuardedSpanDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  traceId: string;
  /** The key of the span, which is the same in every export. */
  span: string;
}

export const guardedSpanSchema = new Schema<GuardedSpanDocument>(
  { traceId: String, span: String },
  { collection: 'asked_spans', autoIndex: false, versionKey: false },
);
guardedSpanSchema.plugin(guardTenancy);
guardedSpanSchema.index({ organizationId: 1, traceId: 1 }, { name: 'once', unique: true });
