// Workspaces divide an organisation's agents, policies and decisions; every organisation has a default one.
import { Schema, type Types } from 'mongoose';
import type { AutoApproval } from '../../../domain/automatic-approval.ts';
import type { ReviewPriority } from '../../../domain/review-sla.ts';
import { type LinkProof, LINK_PROOFS } from '../../../domain/review/link-proof.ts';
import {
  DEFAULT_SELF_REVIEW,
  INVOLVEMENTS,
  PREVENTIONS,
  type SelfReviewRules,
} from '../../../domain/review/self-review.ts';
import { guardTenancy } from '../../../platform/mongo/tenancy.ts';

export interface WorkspaceDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  name: string;
  /** Who gets escalated reviews; null: an owner. */
  escalationPolicy: { escalateTo: Types.ObjectId | null };
  /** Hours to a reviewer's deadline, by priority; null: none. */
  reviewSla: Record<ReviewPriority, number | null>;
  /** When holds end without a verdict, in seconds; null: never. Absent in workspaces of earlier versions. */
  reviewExpiry?: { expiresIn: number } | null;
  /** How decisions that are reported after the fact are handled; absent in workspaces of earlier versions: no review. */
  observed?: { review: boolean };
  /** How people decide by links of messages; absent in workspaces of earlier versions: signed in. */
  reviewLinks?: LinkProof;
  /** Who may not decide what they are involved in; absent in workspaces of earlier versions: the default. */
  preventSelfReview?: SelfReviewRules;
  /** Null: only people approve. */
  autoApproval: AutoApproval | null;
  /** The request for a looser one, while it waits for a second person; absent in workspaces of earlier versions. */
  autoApprovalRequest?: { by: Types.ObjectId; at: Date; autoApproval: AutoApproval } | null;
  createdAt: Date;
  updatedAt: Date;
}

const hours = { type: Number, default: null };

const preventSelfReview = Object.fromEntries(
  INVOLVEMENTS.map((kind) => [
    kind,
    { type: String, enum: PREVENTIONS, default: DEFAULT_SELF_REVIEW[kind] },
  ]),
);

const autoApproval = new Schema({ approvals: Number, days: Number }, { _id: false });

export const workspaceSchema = new Schema<WorkspaceDocument>(
  {
    name: { type: String, required: true, trim: true, maxlength: 100 },
    escalationPolicy: { escalateTo: { type: Schema.Types.ObjectId, default: null } },
    reviewSla: { critical: hours, high: hours, medium: hours, low: hours },
    reviewExpiry: {
      type: new Schema({ expiresIn: Number }, { _id: false }),
      default: null,
    },
    observed: { review: { type: Boolean, default: false } },
    preventSelfReview,
    reviewLinks: { type: String, enum: LINK_PROOFS, default: 'sign-in' },
    autoApproval: { type: autoApproval, default: null },
    autoApprovalRequest: {
      type: new Schema({ by: Schema.Types.ObjectId, at: Date, autoApproval }, { _id: false }),
      default: null,
    },
  },
  { collection: 'workspaces', timestamps: true, autoIndex: false },
);
workspaceSchema.plugin(guardTenancy);
workspaceSchema.index({ organizationId: 1, name: 1 }, { name: 'name', unique: true });
