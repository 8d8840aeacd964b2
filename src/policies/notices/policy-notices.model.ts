// When a policy sent its last notice; apart from its statistics, which change with every decision.
import { Schema } from 'mongoose';
import { defineCollection, type DocumentOf } from '../../platform/mongo/collection.ts';

export const policyNoticeSchema = defineCollection('policy_notices', {
  /** The policy's id. */
  _id: { type: Schema.Types.ObjectId, required: true },
  /** When it was sent. */
  toldAt: { type: Date, required: true },
});
export interface PolicyNoticeDocument extends DocumentOf<typeof policyNoticeSchema> {}
policyNoticeSchema.index({ organizationId: 1 }, { name: 'organization' });
