// Replays: a candidate run over stored decisions in the background, and what it would have changed; gone after 30 days.
import { Schema, type Types } from 'mongoose';
import { UNTOLD, type Untold } from '../../../domain/policies/trials/rejudge.ts';
import { tenancy } from '../../../platform/mongo/tenancy.ts';

export const REPLAY_STATES = ['queued', 'running', 'done', 'cancelled', 'failed'] as const;
export type ReplayState = (typeof REPLAY_STATES)[number];

/** A filter. */
export const UNFINISHED: { $in: ReplayState[] } = { $in: ['queued', 'running'] };

export const REPLAY_CHANGES = ['allowToBlock', 'blockToAllow', 'cannotTell'] as const;

export interface ReplayExample {
  traceId: string;
  change: (typeof REPLAY_CHANGES)[number];
  /** The verdict of its day. */
  from: string;
  /** Null: cannot be told. */
  to: string | null;
  /** Ids of the policies that match. */
  matched: string[];
  because: Untold | null;
}

/** What is counted; each decision is exactly one of the first four. */
export interface ReplayCounts {
  allowToBlock: number;
  blockToAllow: number;
  unchanged: number;
  cannotTell: number;
  /** Of those that are unchanged in being let pass. */
  approvedToFlagged: number;
  flaggedToApproved: number;
}

export interface PolicyReplayDocument extends ReplayCounts {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  workspaceId: Types.ObjectId;
  /** Null: a new policy. */
  policyId: Types.ObjectId | null;
  /** JSON text of the definition that is tried; null: the policy is disabled. */
  candidate: string | null;
  /** The other policies, as they were enabled when the replay began. */
  members: { id: Types.ObjectId; revision: number }[];
  state: ReplayState;
  limit: number;
  /** Decisions to go over; null until they are counted. */
  total: number | null;
  done: number;
  /** Entries from this sequence on are done or came later. */
  below: number;
  untold: Record<Untold, number>;
  examples: ReplayExample[];
  /** How often it could not go on. */
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
    untold: Object.fromEntries(UNTOLD.map((reason) => [reason, count])),
    examples: { type: [Schema.Types.Mixed], default: [] } as never,
    faults: count,
    startedBy: id,
    finishedAt: { type: Date, default: null },
  },
  { collection: 'policy_replays', timestamps: true, autoIndex: false, minimize: false },
);
policyReplaySchema.plugin(tenancy);
policyReplaySchema.index({ organizationId: 1, state: 1 }, { name: 'unfinished' });
policyReplaySchema.index({ state: 1, updatedAt: 1 }, { name: 'due' });
policyReplaySchema.index({ createdAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
