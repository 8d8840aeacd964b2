// Regression tests of policies: a made-up decision, and the action that the policy must take on it.
import { Schema } from 'mongoose';
import { actionTypes } from '@assay/policy';
import { defineCollection, type DocumentOf } from '../../platform/mongo/collection.ts';

export const policyTestSchema = defineCollection(
  'policy_tests',
  {
    policyId: { type: Schema.Types.ObjectId, required: true },
    name: { type: String, required: true, maxlength: 100 },
    /** JSON text: the database would change nested documents. */
    fixture: { type: String, required: true },
    expected: { type: String, enum: actionTypes, required: true },
    createdBy: { type: Schema.Types.ObjectId, required: true },
  },
  { timestamps: true },
);
export interface PolicyTestDocument extends DocumentOf<typeof policyTestSchema> {}
policyTestSchema.index(
  { organizationId: 1, policyId: 1, createdAt: -1, _id: -1 },
  { name: 'list' },
);
