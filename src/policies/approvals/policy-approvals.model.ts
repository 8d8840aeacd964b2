// Proposed changes of policies, their lists and tools in review and enforcement (document 2, section 3; decisions: approvals).
import { Schema, type Types } from 'mongoose';
import {
  APPROVAL_STATES,
  type ApprovalAction,
  type ApprovalState,
  type AUTHOR_STEPS,
} from '../../domain/policies/changes/approval.ts';
import {
  allowAbsent,
  defineCollection,
  type DocumentOf,
  typeAs,
} from '../../platform/mongo/collection.ts';

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

const person = { type: Schema.Types.ObjectId, default: null } as const;

export const policyApprovalSchema = defineCollection(
  'policy_approvals',
  {
    /** Null: a list of all workspaces. */
    workspaceId: { type: Schema.Types.ObjectId, default: null },
    /** The list that it changes; null, or absent in earlier versions: it changes a policy. */
    listName: allowAbsent({ type: String, default: null }),
    /** It changes tools of the workspace; null, or absent in earlier versions: it does not. */
    ofTools: allowAbsent({ type: Boolean, default: null }),
    /** Null: a list, tools, or a new policy until it is promoted. */
    policyId: { type: Schema.Types.ObjectId, default: null },
    /** The revision that the change was written on; null: a new policy, a list, or tools. */
    baseRevision: { type: Number, default: null },
    /** The whole proposed policy, the `ListChange` or the `ToolsChange` as JSON text: the database would change nested documents. */
    contents: { type: String, required: true },
    /** SHA-256 of `contents`; reviewers send it to name what they saw. */
    digest: { type: String, required: true },
    state: { type: String, enum: APPROVAL_STATES, required: true },
    author: { type: Schema.Types.ObjectId, required: true },
    reviewer: person,
    /** The user who promoted or rejected it after the review, or broke the glass. */
    enforcer: person,
    lastAction: typeAs<{
      action: ApprovalAction;
      by: Types.ObjectId;
      at: Date;
      reason: string | null;
    } | null>({ type: Schema.Types.Mixed, default: null }),
    /** Oldest first; absent in approvals of earlier versions. */
    steps: typeAs<ApprovalStep[] | undefined>({ type: [Schema.Types.Mixed], default: undefined }),
    /** The revision that was created when it was put into force. */
    promotedRevision: { type: Number, default: null },
    /** The revision that reverted it after it was in force without a review. */
    undoneRevision: allowAbsent({ type: Number, default: null }),
  },
  { timestamps: true },
);
export interface PolicyApprovalDocument extends DocumentOf<typeof policyApprovalSchema> {}
policyApprovalSchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'list' });
policyApprovalSchema.index(
  { organizationId: 1, state: 1, createdAt: -1, _id: -1 },
  { name: 'state' },
);
policyApprovalSchema.index(
  { organizationId: 1, policyId: 1, createdAt: -1, _id: -1 },
  { name: 'policy' },
);
