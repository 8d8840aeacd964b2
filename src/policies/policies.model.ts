// Policies, their immutable revisions, policy sets, and match statistics (document 2, resource Policy).
import { Schema, type Types } from 'mongoose';
import type { Action, Condition } from '../domain/policies/definition.ts';
import { guardTenancy } from '../platform/mongo/tenancy.ts';

/** The fields of a policy that a change can set. */
export type PolicyContents = {
  name: string;
  description: string;
  enabled: boolean;
  priority: number;
  conditions: Condition[];
  actions: Action[];
};

/** The version that judges instead of the policy in the control arm of its canary. */
export interface ControlPolicy extends PolicyContents {
  revision: number;
}

export interface PolicyDocument extends PolicyContents {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  workspaceId: Types.ObjectId;
  /** Number of the newest revision, from 1. */
  revision: number;
  /**
   * Set while a canary runs. `control` null: the other decisions are judged without the policy. Absent in older
   * documents.
   */
  canary?: { id: Types.ObjectId; share: number; control: ControlPolicy | null } | null;
  deletedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Returns the contents alone, of a policy or a revision. */
export function toPolicyContents(policy: PolicyContents): PolicyContents {
  const { name, description, enabled, priority, conditions, actions } = policy;
  return { name, description, enabled, priority, conditions, actions };
}

const contents = {
  name: { type: String, required: true, maxlength: 100 },
  description: { type: String, default: '', maxlength: 500 },
  enabled: { type: Boolean, required: true },
  priority: { type: Number, required: true },
  // Stored as given, for the digest of the policy set covers them.
  conditions: { type: Schema.Types.Mixed, required: true },
  actions: { type: Schema.Types.Mixed, required: true },
};

export const policySchema = new Schema<PolicyDocument>(
  {
    ...contents,
    workspaceId: { type: Schema.Types.ObjectId, required: true },
    revision: { type: Number, required: true },
    canary: { type: Schema.Types.Mixed, default: null },
    deletedAt: { type: Date, default: null },
  },
  { collection: 'policies', timestamps: true, autoIndex: false, minimize: false },
);
policySchema.plugin(guardTenancy);
policySchema.index({ organizationId: 1, deletedAt: 1, createdAt: -1, _id: -1 }, { name: 'list' });
policySchema.index(
  { organizationId: 1, workspaceId: 1, deletedAt: 1, enabled: 1 },
  { name: 'evaluated' },
);

/** A policy as it stood from one change to the next; never changed, never removed. */
export interface PolicyRevisionDocument extends PolicyContents {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  policyId: Types.ObjectId;
  revision: number;
  /** The revision that removed the policy. */
  deleted: boolean;
  changedBy: Types.ObjectId | null;
  createdAt: Date;
}

export const policyRevisionSchema = new Schema<PolicyRevisionDocument>(
  {
    ...contents,
    policyId: { type: Schema.Types.ObjectId, required: true },
    revision: { type: Number, required: true },
    deleted: { type: Boolean, default: false },
    changedBy: { type: Schema.Types.ObjectId, default: null },
  },
  {
    collection: 'policy_revisions',
    timestamps: { createdAt: true, updatedAt: false },
    autoIndex: false,
    minimize: false,
  },
);
policyRevisionSchema.plugin(guardTenancy);
policyRevisionSchema.index(
  { organizationId: 1, policyId: 1, revision: -1 },
  { name: 'revision', unique: true },
);

/** The revisions behind a `policySetDigest`, written before the set judges its first decision. */
export interface PolicySetDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  digest: string;
  members: { id: Types.ObjectId; revision: number }[];
  createdAt: Date;
}

export const policySetSchema = new Schema<PolicySetDocument>(
  {
    digest: { type: String, required: true },
    members: {
      type: [
        new Schema({ id: Schema.Types.ObjectId, revision: Number }, { _id: false, id: false }),
      ],
      required: true,
    },
  },
  {
    collection: 'policy_sets',
    timestamps: { createdAt: true, updatedAt: false },
    autoIndex: false,
  },
);
policySetSchema.plugin(guardTenancy);
policySetSchema.index({ organizationId: 1, digest: 1 }, { name: 'digest', unique: true });

/** Written by a consumer of the ledger; apart from the definition, so that a match invalidates no cache. */
export interface PolicyStatisticsDocument {
  /** The policy's id. */
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  matchCount: number;
  lastMatched: Date | null;
}

export const policyStatisticsSchema = new Schema<PolicyStatisticsDocument>(
  {
    _id: { type: Schema.Types.ObjectId, required: true },
    matchCount: { type: Number, default: 0 },
    lastMatched: { type: Date, default: null },
  },
  { collection: 'policy_statistics', autoIndex: false },
);
policyStatisticsSchema.plugin(guardTenancy);
policyStatisticsSchema.index({ organizationId: 1 }, { name: 'organization' });
