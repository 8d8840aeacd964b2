// Policies, their immutable revisions, policy sets, and match statistics (document 2, resource Policy).
import { Schema, type Types } from 'mongoose';
import type { Action, Condition } from '@assay/policy';
import {
  allowAbsent,
  CREATED,
  defineCollection,
  definePart,
  type DocumentOf,
  type Shape,
  typeAs,
} from '../platform/mongo/collection.ts';

const contents = {
  name: { type: String, required: true, maxlength: 100 },
  description: { type: String, default: '', maxlength: 500 },
  enabled: { type: Boolean, required: true },
  priority: { type: Number, required: true },
  // Stored as given, for the digest of the policy set covers them.
  conditions: typeAs<Condition[]>({ type: Schema.Types.Mixed, required: true }),
  actions: typeAs<Action[]>({ type: Schema.Types.Mixed, required: true }),
  /** It changes no verdict; absent: it does. */
  observe: typeAs<boolean | undefined>({ type: Boolean }),
} as const;
/** The fields of a policy that a change can set. */
export type PolicyContents = Shape<typeof contents>;

/** The version that judges instead of the policy in the control arm of its canary. */
export interface ControlPolicy extends PolicyContents {
  revision: number;
}

/** Whether a policy changes verdicts: it is enabled, and does more than observe. */
export const isJudging = ({ enabled, observe }: Pick<PolicyContents, 'enabled' | 'observe'>) =>
  enabled && observe !== true;

/** Returns the contents alone, of a policy or a revision. */
export function toPolicyContents(policy: PolicyContents): PolicyContents {
  const { name, description, enabled, priority, conditions, actions, observe = false } = policy;
  return { name, description, enabled, priority, conditions, actions, observe };
}

export const policySchema = defineCollection(
  'policies',
  {
    ...contents,
    workspaceId: { type: Schema.Types.ObjectId, required: true },
    /** Number of the newest revision, from 1. */
    revision: { type: Number, required: true },
    /**
     * Set while a canary runs. `control` null: the other decisions are judged without the policy. Absent in older
     * documents.
     */
    canary: typeAs<
      { id: Types.ObjectId; share: number; control: ControlPolicy | null } | null | undefined
    >({ type: Schema.Types.Mixed, default: null }),
    deletedAt: { type: Date, default: null },
  },
  { timestamps: true, minimize: false },
);
export interface PolicyDocument extends DocumentOf<typeof policySchema> {}
policySchema.index({ organizationId: 1, deletedAt: 1, createdAt: -1, _id: -1 }, { name: 'list' });
policySchema.index(
  { organizationId: 1, workspaceId: 1, deletedAt: 1, enabled: 1 },
  { name: 'evaluated' },
);

export const policyRevisionSchema = defineCollection(
  'policy_revisions',
  {
    ...contents,
    policyId: { type: Schema.Types.ObjectId, required: true },
    revision: { type: Number, required: true },
    /** The revision that removed the policy. */
    deleted: { type: Boolean, default: false },
    changedBy: { type: Schema.Types.ObjectId, default: null },
  },
  { timestamps: CREATED, minimize: false },
);
/** A policy as it stood from one change to the next; never changed, never removed. */
export interface PolicyRevisionDocument extends DocumentOf<typeof policyRevisionSchema> {}
policyRevisionSchema.index(
  { organizationId: 1, policyId: 1, revision: -1 },
  { name: 'revision', unique: true },
);

export const policySetSchema = defineCollection(
  'policy_sets',
  {
    digest: { type: String, required: true },
    members: {
      type: [
        definePart(
          {
            id: Schema.Types.ObjectId,
            revision: Number,
            /** The lists that it named, with the digests of their contents; absent where it named none. */
            lists: allowAbsent({
              type: [definePart({ name: String, digest: String })],
              default: undefined,
            }),
          },
          { id: false },
        ),
      ],
      required: true,
    },
  },
  { timestamps: CREATED },
);
/** The revisions behind a `policySetDigest`, written before the set judges its first decision. */
export interface PolicySetDocument extends DocumentOf<typeof policySetSchema> {}
policySetSchema.index({ organizationId: 1, digest: 1 }, { name: 'digest', unique: true });

export const policyStatisticsSchema = defineCollection('policy_statistics', {
  /** The policy's id. */
  _id: { type: Schema.Types.ObjectId, required: true },
  matchCount: { type: Number, default: 0 },
  lastMatched: { type: Date, default: null },
});
/** Written by a consumer of the ledger; apart from the definition, so that a match invalidates no cache. */
export interface PolicyStatisticsDocument extends DocumentOf<typeof policyStatisticsSchema> {}
policyStatisticsSchema.index({ organizationId: 1 }, { name: 'organization' });
