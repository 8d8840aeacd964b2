// The newest hold of each question of AuthZEN, by which a question is found again under another request id.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export interface AccessHoldDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** Keyed digest of who asks for which action. */
  question: string;
  traceId: string;
}

export const accessHoldSchema = new Schema<AccessHoldDocument>(
  { question: String, traceId: String },
  { collection: 'access_holds', autoIndex: false, versionKey: false },
);
accessHoldSchema.plugin(guardTenancy);
accessHoldSchema.index({ organizationId: 1, question: 1 }, { name: 'question', unique: true });
