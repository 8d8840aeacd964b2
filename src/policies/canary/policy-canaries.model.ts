// Canaries: policy changes that judge a share of the decisions, with the counts of both arms (decisions: canary).
import { Schema } from 'mongoose';
import { CANARY_STATES } from '../../domain/policies/changes/canary.ts';
import {
  NOTHING_SEEN,
  type SequentialTest,
} from '../../domain/policies/changes/sequential-test.ts';
import { defineCollection, type DocumentOf, typeAs } from '../../platform/mongo/collection.ts';

export const policyCanarySchema = defineCollection('policy_canaries', {
  workspaceId: { type: Schema.Types.ObjectId, required: true },
  policyId: { type: Schema.Types.ObjectId, required: true },
  /** The share of the workspace's decisions that the canary judges, 0 to 1. */
  share: { type: Number, required: true },
  /** Revision of the policy in the canary arm. `controlRevision` is null when the control has no such policy. */
  revision: { type: Number, required: true },
  controlRevision: { type: Number, default: null },
  state: { type: String, enum: CANARY_STATES, default: 'running' },
  /** Decisions by arm. */
  decisions: { control: { type: Number, default: 0 }, canary: { type: Number, default: 0 } },
  test: typeAs<SequentialTest>({ type: Schema.Types.Mixed, default: () => NOTHING_SEEN }),
  /** Time at which the sequential test decided. */
  decidedAt: { type: Date, default: null },
  startedBy: { type: Schema.Types.ObjectId, required: true },
  startedAt: { type: Date, required: true },
  endedAt: { type: Date, default: null },
});
export interface PolicyCanaryDocument extends DocumentOf<typeof policyCanarySchema> {}
policyCanarySchema.index({ organizationId: 1, policyId: 1, startedAt: -1 }, { name: 'policy' });
policyCanarySchema.index(
  { organizationId: 1, workspaceId: 1 },
  { name: 'running', unique: true, partialFilterExpression: { state: 'running' } },
);
