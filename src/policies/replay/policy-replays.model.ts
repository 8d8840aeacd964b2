// Replays: a candidate judges stored decisions in the background, and changes are counted; deleted after 30 days.
import { Schema, type Types } from 'mongoose';
import { UNKNOWN_REASONS, type UnknownReason } from '../../domain/policies/trials/rejudge.ts';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export const REPLAY_STATES = ['queued', 'running', 'done', 'cancelled', 'failed'] as const;
export type ReplayState = (typeof REPLAY_STATES)[number];

/** Filter for replays that have not ended. */
export const UNFINISHED: { $in: ReplayState[] } = { $in: ['queued', 'running'] };

export const REPLAY_CHANGES = ['allowToBlock', 'blockToAllow', 'cannotTell'] as const;

export interface ReplayExample {
  traceId: string;
  change: (typeof REPLAY_CHANGES)[number];
  /** The recorded verdict. */
  from: string;
  /** The verdict of the replay; null: cannot be determined. */
  to: string | null;
  /** Ids of the policies that match. */
  matched: string[];
  because: UnknownReason | null;
}

/** Counts of a replay; each decision is in exactly one of the first four. */
export interface ReplayCounts {
  allowToBlock: number;
  blockToAllow: number;
  unchanged: number;
  cannotTell: number;
  /** Counted within `unchanged`: allowed before and after. */
  approvedToFlagged: number;
  flaggedToApproved: number;
}

export interface PolicyReplayDocument extends ReplayCounts {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  workspaceId: Types.ObjectId;
  /** Null: a new policy. */
  policyId: Types.ObjectId | null;
  /** JSON text of the candidate definition; null: the policy is disabled. */
  candidate: string | null;
  /** The other policies, as they were enabled when the replay began. */
  members: { id: Types.ObjectId; revision: number }[];
  state: ReplayState;
  limit: number;
  /** Number of decisions to replay; null until they are counted. */
  total: number | null;
  done: number;
  /** Entries from this sequence on are done, or were appended later. */
  below: number;
  untold: Record<UnknownReason, number>;
  examples: ReplayExample[];
  /** Number of failed runs. */
  faults: number;
  startedBy: Types.ObjectId;
  finishedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

const KEPT_SECONDS = 30 * 24 * 3600;
const id = { type: Schema.Types.ObjectId, required: true } as const;
const count = { type: Number, default: 0 } as const;

export const policyReplaySchema = new Schema<PolicyReplayDocument>(
  {
    workspaceId: id,
    policyId: { type: Schema.Types.ObjectId, default: null },
    candidate: { type: String, default: null },
    members: [new Schema({ id, revision: Number }, { _id: false, id: false })],
    state: { type: String, enum: REPLAY_STATES, default: 'queued' },
    limit: { type: Number, required: true },
    total: { type: Number, default: null },
    done: count,
    below: { type: Number, required: true },
    allowToBlock: count,
    blockToAllow: count,
    unchanged: count,
    cannotTell: count,
    approvedToFlagged: count,
    flaggedToApproved: count,
    untold: Object.fromEntries(UNKNOWN_REASONS.map((reason) => [reason, count])),
    examples: { type: [Schema.Types.Mixed], default: [] } as never,
    faults: count,
    startedBy: id,
    finishedAt: { type: Date, default: null },
  },
  { collection: 'policy_replays', timestamps: true, autoIndex: false, minimize: false },
);
policyReplaySchema.plugin(guardTenancy);
policyReplaySchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'newest' });
policyReplaySchema.index({ organizationId: 1, state: 1 }, { name: 'unfinished' });
policyReplaySchema.index({ state: 1, updatedAt: 1 }, { name: 'due' });
policyReplaySchema.index({ createdAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
