// The newest hold of each question of AuthZEN, by which a question is found again under another request id.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export interface AuthzenHoldDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** Keyed digest of who asks for which action. */
  question: string;
  traceId: string;
}

export const authzenHoldSchema = new Schema<AuthzenHoldDocument>(
  { question: String, traceId: String },
  { collection: 'access_holds', autoIndex: false, versionKey: false },
);
authzenHoldSchema.plugin(guardTenancy);
authzenHoldSchema.index({ organizationId: 1, question: 1 }, { name: 'question', unique: true });
