// Regression tests of policies: a made-up decision, and the action that the policy must take on it.
import { Schema, type Types } from 'mongoose';
import { actionTypes, type ActionType } from '../../domain/policies/definition.ts';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export interface PolicyTestDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  policyId: Types.ObjectId;
  name: string;
  /** JSON text: the database would change nested documents. */
  fixture: string;
  expected: ActionType;
  createdBy: Types.ObjectId;
  createdAt: Date;
  updatedAt: Date;
}

export const policyTestSchema = new Schema<PolicyTestDocument>(
  {
    policyId: { type: Schema.Types.ObjectId, required: true },
    name: { type: String, required: true, maxlength: 100 },
    fixture: { type: String, required: true },
    expected: { type: String, enum: actionTypes, required: true },
    createdBy: { type: Schema.Types.ObjectId, required: true },
  },
  { collection: 'policy_tests', timestamps: true, autoIndex: false },
);
policyTestSchema.plugin(guardTenancy);
policyTestSchema.index(
  { organizationId: 1, policyId: 1, createdAt: -1, _id: -1 },
  { name: 'list' },
);
