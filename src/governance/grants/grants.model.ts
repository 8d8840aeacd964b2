// Standing grants: what each lets through, until when, and how it ended. The chain says the same.
import { Schema } from 'mongoose';
import type { ArgumentBound } from '@assay/policy';
import { GRANT_STATUSES } from '../../domain/grants/grant-use.ts';
import type { HoldingPolicy } from '../../domain/grants/standing-grant.ts';
import { defineCollection, type DocumentOf, typeAs } from '../../platform/mongo/collection.ts';

/** What ended a grant before its time; null: a person, or nothing did. */
export const GRANT_CAUSES = ['policy', 'membership'] as const;
export type GrantCause = (typeof GRANT_CAUSES)[number];

const required = { type: String, required: true } as const;

export const standingGrantSchema = defineCollection(
  'standing_grants',
  {
    workspaceId: { type: Schema.Types.ObjectId, required: true },
    agentId: { type: Schema.Types.ObjectId, required: true },
    agentName: { type: String, default: null },
    /** As `action.names` has it. */
    tool: required,
    server: { type: String, default: null },
    toolDigest: required,
    when: typeAs<ArgumentBound[]>({ type: Schema.Types.Mixed, required: true }),
    policies: typeAs<HoldingPolicy[]>({ type: Schema.Types.Mixed, required: true }),
    uses: { type: Number, required: true },
    until: { type: Date, required: true },
    /** The sequence of the entry that gave it. */
    sequence: { type: Number, required: true },
    /** The decision that a person approved. */
    fromTraceId: required,
    reason: { type: String, default: null },
    givenBy: { type: Schema.Types.ObjectId, required: true },
    status: { type: String, enum: GRANT_STATUSES, required: true },
    cause: { type: String, enum: [...GRANT_CAUSES, null], default: null },
    endedAt: { type: Date, default: null },
    endedBy: { type: Schema.Types.ObjectId, default: null },
    /** Set when it ends. */
    used: { type: Number, default: null },
    /** When the job last looked whether it has ended. */
    checkedAt: { type: Date, required: true },
  },
  { timestamps: true },
);
export interface StandingGrantDocument extends DocumentOf<typeof standingGrantSchema> {}
standingGrantSchema.index({ organizationId: 1, endedAt: 1, createdAt: -1 }, { name: 'standing' });
standingGrantSchema.index(
  { checkedAt: 1 },
  { name: 'due', partialFilterExpression: { status: 'granted' } },
);
