// The observed activity of an agent; apart from the definition, so that an update invalidates no cache.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../../platform/mongo/tenancy.ts';

export const AGENT_STATUSES = ['healthy', 'degraded', 'critical'] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

export interface AgentActivityDocument {
  /** The agent's id. */
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  status: AgentStatus;
  lastActive: Date | null;
  /** Lifetime counts by the verdict at ingestion. */
  verdicts: { approved: number; flagged: number; blocked: number };
  /** Acts that were reported after they were done; absent: none. */
  observed?: { acts: number; breaches: number; lastAt: Date };
  /** Shares of the newest decisions, for the confidence engine; null: too few to say. */
  recent: { overrideRate: number | null; flagRate: number | null };
  /** `agentVersion` strings in order of first appearance. */
  versions: { version: string; firstSeenAt: Date; lastSeenAt: Date; traces: number }[];
}

const versionSchema = new Schema(
  { version: String, firstSeenAt: Date, lastSeenAt: Date, traces: Number },
  { _id: false },
);

const observedSchema = new Schema({ acts: Number, breaches: Number, lastAt: Date }, { _id: false });

export const agentActivitySchema = new Schema<AgentActivityDocument>(
  {
    _id: { type: Schema.Types.ObjectId, required: true },
    status: { type: String, enum: AGENT_STATUSES, default: 'healthy' },
    lastActive: { type: Date, default: null },
    verdicts: {
      approved: { type: Number, default: 0 },
      flagged: { type: Number, default: 0 },
      blocked: { type: Number, default: 0 },
    },
    observed: { type: observedSchema, required: false },
    recent: {
      overrideRate: { type: Number, default: null },
      flagRate: { type: Number, default: null },
    },
    versions: { type: [versionSchema], default: [] },
  },
  { collection: 'agent_activity', autoIndex: false },
);
agentActivitySchema.plugin(guardTenancy);
agentActivitySchema.index({ organizationId: 1 }, { name: 'organization' });
