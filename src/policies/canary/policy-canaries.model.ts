// Canaries: policy changes that judge a share of the decisions, with the counts of both arms (decisions: canary).
import { Schema, type Types } from 'mongoose';
import { CANARY_STATES, type CanaryState } from '../../domain/policies/changes/canary.ts';
import {
  type Arm,
  NOTHING_SEEN,
  type SequentialTest,
} from '../../domain/policies/changes/sequential-test.ts';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export interface PolicyCanaryDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  workspaceId: Types.ObjectId;
  policyId: Types.ObjectId;
  /** The share of the workspace's decisions that the canary judges, 0 to 1. */
  share: number;
  /** Revision of the policy in the canary arm. `controlRevision` is null when the control has no such policy. */
  revision: number;
  controlRevision: number | null;
  state: CanaryState;
  /** Decisions by arm. */
  decisions: Record<Arm, number>;
  test: SequentialTest;
  /** Time at which the sequential test decided. */
  decidedAt: Date | null;
  startedBy: Types.ObjectId;
  startedAt: Date;
  endedAt: Date | null;
}

export const policyCanarySchema = new Schema<PolicyCanaryDocument>(
  {
    workspaceId: { type: Schema.Types.ObjectId, required: true },
    policyId: { type: Schema.Types.ObjectId, required: true },
    share: { type: Number, required: true },
    revision: { type: Number, required: true },
    controlRevision: { type: Number, default: null },
    state: { type: String, enum: CANARY_STATES, default: 'running' },
    decisions: { control: { type: Number, default: 0 }, canary: { type: Number, default: 0 } },
    test: { type: Schema.Types.Mixed, default: () => NOTHING_SEEN },
    decidedAt: { type: Date, default: null },
    startedBy: { type: Schema.Types.ObjectId, required: true },
    startedAt: { type: Date, required: true },
    endedAt: { type: Date, default: null },
  },
  { collection: 'policy_canaries', autoIndex: false },
);
policyCanarySchema.plugin(guardTenancy);
policyCanarySchema.index({ organizationId: 1, policyId: 1, startedAt: -1 }, { name: 'policy' });
policyCanarySchema.index(
  { organizationId: 1, workspaceId: 1 },
  { name: 'running', unique: true, partialFilterExpression: { state: 'running' } },
);
