// The observed activity of an agent; apart from the definition, so that an update invalidates no cache.
import { Schema } from 'mongoose';
import {
  defineCollection,
  definePart,
  type DocumentOf,
} from '../../../platform/mongo/collection.ts';

export const AGENT_STATUSES = ['healthy', 'degraded', 'critical'] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

const versionSchema = definePart({
  version: String,
  firstSeenAt: Date,
  lastSeenAt: Date,
  traces: Number,
});

const observedSchema = definePart({ acts: Number, breaches: Number, lastAt: Date });

export const agentActivitySchema = defineCollection('agent_activity', {
  /** The agent's id. */
  _id: { type: Schema.Types.ObjectId, required: true },
  status: { type: String, enum: AGENT_STATUSES, default: 'healthy' },
  lastActive: { type: Date, default: null },
  /** Lifetime counts by the verdict at ingestion. */
  verdicts: {
    approved: { type: Number, default: 0 },
    flagged: { type: Number, default: 0 },
    blocked: { type: Number, default: 0 },
  },
  /** Acts that were reported after they were done; absent: none. */
  observed: { type: observedSchema, required: false },
  /** Shares of the newest decisions, for the confidence engine; null: too few to say. */
  recent: {
    overrideRate: { type: Number, default: null },
    flagRate: { type: Number, default: null },
  },
  /** `agentVersion` strings in order of first appearance. */
  versions: { type: [versionSchema], default: [] },
});
export interface AgentActivityDocument extends DocumentOf<typeof agentActivitySchema> {}
agentActivitySchema.index({ organizationId: 1 }, { name: 'organization' });
