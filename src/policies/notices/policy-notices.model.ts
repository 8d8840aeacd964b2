// When a policy sent its last notice; apart from its statistics, which change with every decision.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export interface PolicyNoticeDocument {
  /** The policy's id. */
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** When it was sent. */
  toldAt: Date;
}

export const policyNoticeSchema = new Schema<PolicyNoticeDocument>(
  {
    _id: { type: Schema.Types.ObjectId, required: true },
    toldAt: { type: Date, required: true },
  },
  { collection: 'policy_notices', autoIndex: false },
);
policyNoticeSchema.plugin(guardTenancy);
policyNoticeSchema.index({ organizationId: 1 }, { name: 'organization' });
