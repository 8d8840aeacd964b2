// Proposed changes of policies in review and enforcement (document 2, section 3; decisions: approvals).
import { Schema, type Types } from 'mongoose';
import {
  APPROVAL_STATES,
  type ApprovalAction,
  type ApprovalState,
  type AUTHOR_STEPS,
} from '../../domain/policies/changes/approval.ts';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export interface ApprovalStep {
  action: ApprovalAction | (typeof AUTHOR_STEPS)[number];
  by: Types.ObjectId;
  at: Date;
  reason: string | null;
  /** Digest of the contents that the step was about; null: taken before steps were kept. */
  digest: string | null;
  from: ApprovalState | null;
  to: ApprovalState;
}

export interface PolicyApprovalDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  workspaceId: Types.ObjectId;
  /** Null: a new policy, until it is promoted. */
  policyId: Types.ObjectId | null;
  /** The revision that the change was written on; null: a new policy. */
  baseRevision: number | null;
  /** The whole proposed policy, as JSON text: the database would change nested documents. */
  contents: string;
  /** SHA-256 of `contents`; reviewers send it to name what they saw. */
  digest: string;
  state: ApprovalState;
  author: Types.ObjectId;
  reviewer: Types.ObjectId | null;
  /** The user who promoted or rejected it after the review, or broke the glass. */
  enforcer: Types.ObjectId | null;
  lastAction: {
    action: ApprovalAction;
    by: Types.ObjectId;
    at: Date;
    reason: string | null;
  } | null;
  /** Oldest first; absent in approvals of earlier versions. */
  steps?: ApprovalStep[];
  /** The revision that was created when it was put into force. */
  promotedRevision: number | null;
  /** The revision that reverted it after it was in force without a review. */
  undoneRevision?: number | null;
  createdAt: Date;
  updatedAt: Date;
}

const person = { type: Schema.Types.ObjectId, default: null };

export const policyApprovalSchema = new Schema<PolicyApprovalDocument>(
  {
    workspaceId: { type: Schema.Types.ObjectId, required: true },
    policyId: { type: Schema.Types.ObjectId, default: null },
    baseRevision: { type: Number, default: null },
    contents: { type: String, required: true },
    digest: { type: String, required: true },
    state: { type: String, enum: APPROVAL_STATES, required: true },
    author: { type: Schema.Types.ObjectId, required: true },
    reviewer: person,
    enforcer: person,
    lastAction: { type: Schema.Types.Mixed, default: null },
    steps: { type: [Schema.Types.Mixed], default: undefined },
    promotedRevision: { type: Number, default: null },
    undoneRevision: { type: Number, default: null },
  },
  { collection: 'policy_approvals', timestamps: true, autoIndex: false },
);
policyApprovalSchema.plugin(guardTenancy);
policyApprovalSchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'list' });
policyApprovalSchema.index(
  { organizationId: 1, state: 1, createdAt: -1, _id: -1 },
  { name: 'state' },
);
policyApprovalSchema.index(
  { organizationId: 1, policyId: 1, createdAt: -1, _id: -1 },
  { name: 'policy' },
);
