// Agents as operators define them. Their observed activity is in `agent-activity.model.ts`.
import { Schema, type Types } from 'mongoose';
import type { AgentPolicies } from '../../domain/agents/agent-policies.ts';
import type { ModelMetadata } from '../../domain/agents/ml-bom.ts';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

/** Progress in the three-step wizard. */
export interface OnboardingProgress {
  currentStep: number;
  /** The answers that were entered so far. */
  data?: Record<string, string | number | boolean | null>;
}

export interface AgentDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  workspaceId: Types.ObjectId;
  name: string;
  description: string;
  apiKeyHash: string;
  apiKeyPrefix: string;
  /** Snapshot of `name` when the key was made; renaming the agent does not break its key. */
  apiKeyAgentScope: string;
  isActive: boolean;
  /** Since when all its decisions are blocked; null or absent: they are not. */
  paused?: { reason: string; at: Date; by: Types.ObjectId } | null;
  policies: AgentPolicies;
  modelMetadata: ModelMetadata | null;
  /** Digest of the ML-BOM at its last refresh. */
  lastBom: { digest: string; generatedAt: Date } | null;
  /** Null: not, or no longer, in onboarding. */
  onboardingProgress: OnboardingProgress | null;
  /** The user. */
  createdBy: Types.ObjectId;
  deletedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

const flag = { type: Boolean, required: true };
const number = { type: Number, required: true };

export const agentSchema = new Schema<AgentDocument>(
  {
    workspaceId: { type: Schema.Types.ObjectId, required: true },
    name: { type: String, required: true, trim: true, maxlength: 100 },
    description: { type: String, default: '', trim: true, maxlength: 500 },
    apiKeyHash: { type: String, required: true },
    apiKeyPrefix: { type: String, required: true },
    apiKeyAgentScope: { type: String, required: true },
    isActive: { type: Boolean, default: true },
    paused: {
      type: new Schema({ reason: String, at: Date, by: Schema.Types.ObjectId }, { _id: false }),
      default: null,
    },
    policies: {
      strictMode: flag,
      logPayloads: flag,
      piiMasking: flag,
      autoBlockAnomalies: flag,
      confidenceThreshold: number,
      maxRequestsPerMinute: { type: Number, default: null },
      timeoutMs: number,
    },
    modelMetadata: { type: Schema.Types.Mixed, default: null },
    lastBom: {
      type: new Schema({ digest: String, generatedAt: Date }, { _id: false }),
      default: null,
    },
    onboardingProgress: {
      type: new Schema(
        { currentStep: Number, data: Schema.Types.Mixed },
        { _id: false, minimize: false },
      ),
      default: null,
    },
    createdBy: { type: Schema.Types.ObjectId, required: true },
    deletedAt: { type: Date, default: null },
  },
  { collection: 'agents', timestamps: true, autoIndex: false, minimize: false },
);
agentSchema.plugin(guardTenancy);
agentSchema.index({ apiKeyHash: 1 }, { name: 'hash', unique: true });
agentSchema.index({ organizationId: 1, deletedAt: 1, createdAt: -1 }, { name: 'list' });
agentSchema.index({ organizationId: 1, apiKeyAgentScope: 1 }, { name: 'scope' });
