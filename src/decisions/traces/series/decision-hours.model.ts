// How many decisions an hour had, by verdict: of a whole workspace, and of each registered agent.
import { defineCollection } from '../../../platform/mongo/collection.ts';

const count = { type: Number, default: 0 } as const;

export const decisionHourSchema = defineCollection(
  'decision_hours',
  {
    workspaceId: { type: String, required: true },
    /** Null: all decisions of the workspace, also those of agents that are not registered. */
    agentId: { type: String, default: null },
    /** Its beginning, in UTC. */
    hour: { type: Date, required: true },
    approved: count,
    flagged: count,
    blocked: count,
  },
  { versionKey: false },
);
decisionHourSchema.index(
  { organizationId: 1, agentId: 1, hour: 1, workspaceId: 1 },
  { name: 'hour', unique: true },
);
