// Workspaces divide an organisation's agents, policies and decisions; every organisation has a default one.
import { Schema } from 'mongoose';
import { AGENT_CREDENTIALS } from '../../../domain/workload/agent-credentials.ts';
import { DEFAULT_SESSION_RULES, SESSION_NAMES } from '../../../domain/sessions/session-rules.ts';
import { LINK_PROOFS } from '../../../domain/review/link-proof.ts';
import {
  DEFAULT_SELF_REVIEW,
  INVOLVEMENTS,
  PREVENTIONS,
  type SelfReviewRules,
} from '../../../domain/review/self-review.ts';
import {
  allowAbsent,
  defineCollection,
  definePart,
  type DocumentOf,
  typeAs,
} from '../../../platform/mongo/collection.ts';

const hours = { type: Number, default: null } as const;

const preventSelfReview = Object.fromEntries(
  INVOLVEMENTS.map((kind) => [
    kind,
    { type: String, enum: PREVENTIONS, default: DEFAULT_SELF_REVIEW[kind] },
  ]),
);

const autoApproval = definePart({
  /** Approvals by people, in a row. */
  approvals: Number,
  /** Days that must have passed since the first of them. */
  days: Number,
});

export const workspaceSchema = defineCollection(
  'workspaces',
  {
    name: { type: String, required: true, trim: true, maxlength: 100 },
    /** Who gets escalated reviews; null: an owner. */
    escalationPolicy: { escalateTo: { type: Schema.Types.ObjectId, default: null } },
    /** Hours to a reviewer's deadline, by priority; null: none. */
    reviewSla: { critical: hours, high: hours, medium: hours, low: hours },
    /** When holds end without a verdict, in seconds; null: never. Absent in workspaces of earlier versions. */
    reviewExpiry: allowAbsent({ type: definePart({ expiresIn: Number }), default: null }),
    /** How decisions that are reported after the fact are handled; absent in workspaces of earlier versions: no review. */
    observed: allowAbsent({ review: { type: Boolean, default: false } }),
    /** Who may not decide what they are involved in; absent in workspaces of earlier versions: the default. */
    preventSelfReview: typeAs<SelfReviewRules | undefined>(preventSelfReview),
    /** How people decide by links of messages; absent in workspaces of earlier versions: signed in. */
    reviewLinks: allowAbsent({ type: String, enum: LINK_PROOFS, default: 'sign-in' }),
    /** What counts as one session, and when it ends; absent in workspaces of earlier versions: the default. */
    sessions: allowAbsent({
      by: { type: String, enum: SESSION_NAMES, default: DEFAULT_SESSION_RULES.by },
      idleHours: { type: Number, default: DEFAULT_SESSION_RULES.idleHours },
    }),
    /** The credentials by which its agents act; absent in workspaces of earlier versions: any. */
    keys: allowAbsent({ type: String, enum: AGENT_CREDENTIALS, default: 'any' }),
    /** Null: only people approve. */
    autoApproval: { type: autoApproval, default: null },
    /** The request for a looser one, while it waits for a second person; absent in workspaces of earlier versions. */
    autoApprovalRequest: allowAbsent({
      type: definePart({ by: Schema.Types.ObjectId, at: Date, autoApproval }),
      default: null,
    }),
  },
  { timestamps: true },
);
export interface WorkspaceDocument extends DocumentOf<typeof workspaceSchema> {}
workspaceSchema.index({ organizationId: 1, name: 1 }, { name: 'name', unique: true });
