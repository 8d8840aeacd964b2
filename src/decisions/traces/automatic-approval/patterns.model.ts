// Patterns of held decisions with their consecutive approvals, counted by a consumer; they hold no decision's content.
import { Schema, type Types } from 'mongoose';
import type { Maturity } from '../../../domain/automatic-approval.ts';
import { guardTenancy } from '../../../platform/mongo/tenancy.ts';

export interface DecisionPatternDocument extends Maturity {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  workspaceId: string;
  agentId: string;
  /** Keyed hash of the pattern's text. */
  key: string;
  /** Ids of the policies that matched. */
  policyIds: string[];
  /** The decision that was judged last. */
  exampleTraceId: string;
  /** The sequence of the newest verdict that is counted. */
  countedTo: number;
}

const KEPT_SECONDS = 90 * 24 * 3600;

export const decisionPatternSchema = new Schema<DecisionPatternDocument>(
  {
    workspaceId: { type: String, required: true },
    agentId: { type: String, required: true },
    key: { type: String, required: true },
    policyIds: [String],
    exampleTraceId: { type: String, required: true },
    approvals: { type: Number, required: true },
    since: Date,
    lastVerdictAt: { type: Date, required: true },
    countedTo: { type: Number, required: true },
  },
  { collection: 'decision_patterns', autoIndex: false },
);
decisionPatternSchema.plugin(guardTenancy);
decisionPatternSchema.index({ organizationId: 1, key: 1 }, { name: 'pattern', unique: true });
decisionPatternSchema.index({ organizationId: 1, lastVerdictAt: -1 }, { name: 'newest' });
decisionPatternSchema.index(
  { lastVerdictAt: 1 },
  { name: 'expiry', expireAfterSeconds: KEPT_SECONDS },
);
