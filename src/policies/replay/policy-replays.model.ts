// Replays: a candidate judges stored decisions in the background, and changes are counted; deleted after 30 days.
import { Schema } from 'mongoose';
import { UNKNOWN_REASONS, type UnknownReason } from '../../domain/policies/trials/rejudge.ts';
import {
  allowAbsent,
  defineCollection,
  definePart,
  type DocumentOf,
  typeAs,
} from '../../platform/mongo/collection.ts';

export const REPLAY_STATES = ['queued', 'running', 'done', 'cancelled', 'failed'] as const;
export type ReplayState = (typeof REPLAY_STATES)[number];

/** Filter for replays that have not ended. */
export const UNFINISHED: { $in: ReplayState[] } = { $in: ['queued', 'running'] };

/** The changes of which a replay keeps examples; the last two are counted within `unchanged`. */
export const REPLAY_CHANGES = [
  'allowToBlock',
  'blockToAllow',
  'cannotTell',
  'approvedToFlagged',
  'flaggedToApproved',
] as const;

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
  /** Decisions whose agent or session a policy would halt as well. */
  halting: number;
}

const KEPT_SECONDS = 30 * 24 * 3600;
const id = { type: Schema.Types.ObjectId, required: true } as const;
const count = { type: Number, default: 0 } as const;

export const policyReplaySchema = defineCollection(
  'policy_replays',
  {
    workspaceId: id,
    /** Null: a new policy. */
    policyId: { type: Schema.Types.ObjectId, default: null },
    /** JSON text of the candidate definition; null: the policy is disabled. */
    candidate: { type: String, default: null },
    /** The other policies, as they were enabled when the replay began. */
    members: [definePart({ id, revision: Number }, { id: false })],
    /** The lists of the workspace, as they were then; absent in replays of earlier versions. */
    lists: allowAbsent({ type: [definePart({ name: String, digest: String })], default: [] }),
    state: { type: String, enum: REPLAY_STATES, default: 'queued' },
    limit: { type: Number, required: true },
    /** Number of decisions to replay; null until they are counted. */
    total: { type: Number, default: null },
    done: count,
    /** Entries from this sequence on are done, or were appended later. */
    below: { type: Number, required: true },
    allowToBlock: count,
    blockToAllow: count,
    unchanged: count,
    cannotTell: count,
    /** Counted within `unchanged`, like the next: allowed before and after. */
    approvedToFlagged: count,
    flaggedToApproved: count,
    /** Absent in replays of earlier versions. */
    halting: allowAbsent(count),
    untold: typeAs<Record<UnknownReason, number>>(
      Object.fromEntries(UNKNOWN_REASONS.map((reason) => [reason, count])),
    ),
    examples: typeAs<ReplayExample[]>({ type: [Schema.Types.Mixed], default: [] }),
    /** Number of failed runs. */
    faults: count,
    startedBy: id,
    finishedAt: { type: Date, default: null },
  },
  { timestamps: true, minimize: false },
);
export interface PolicyReplayDocument extends DocumentOf<typeof policyReplaySchema> {}
policyReplaySchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'newest' });
policyReplaySchema.index({ organizationId: 1, state: 1 }, { name: 'unfinished' });
policyReplaySchema.index({ state: 1, updatedAt: 1 }, { name: 'due' });
policyReplaySchema.index({ createdAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
