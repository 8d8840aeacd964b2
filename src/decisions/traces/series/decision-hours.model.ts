// How many decisions an hour had, by verdict: of a whole workspace, and of each registered agent.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../../platform/mongo/tenancy.ts';

export interface DecisionHourDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  workspaceId: string;
  /** Null: all decisions of the workspace, also those of agents that are not registered. */
  agentId: string | null;
  /** Its beginning, in UTC. */
  hour: Date;
  approved: number;
  flagged: number;
  blocked: number;
}

const count = { type: Number, default: 0 } as const;

export const decisionHourSchema = new Schema<DecisionHourDocument>(
  {
    workspaceId: { type: String, required: true },
    agentId: { type: String, default: null },
    hour: { type: Date, required: true },
    approved: count,
    flagged: count,
    blocked: count,
  },
  { collection: 'decision_hours', autoIndex: false, versionKey: false },
);
decisionHourSchema.plugin(guardTenancy);
decisionHourSchema.index(
  { organizationId: 1, agentId: 1, hour: 1, workspaceId: 1 },
  { name: 'hour', unique: true },
);
