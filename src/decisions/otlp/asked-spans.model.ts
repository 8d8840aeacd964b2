// The span of each decision that was asked for: the first one that tells its act. Any other is an act of its own.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export interface AskedSpanDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  traceId: string;
  /** The key of the span, which is the same in every export. */
  span: string;
}

export const askedSpanSchema = new Schema<AskedSpanDocument>(
  { traceId: String, span: String },
  { collection: 'asked_spans', autoIndex: false, versionKey: false },
);
askedSpanSchema.plugin(guardTenancy);
askedSpanSchema.index({ organizationId: 1, traceId: 1 }, { name: 'once', unique: true });
