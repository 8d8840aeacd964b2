// Agents as operators define them. Their observed activity is in `agent-activity.model.ts`.
import { Schema } from 'mongoose';
import type { ModelMetadata } from '../../domain/agents/ml-bom.ts';
import {
  allowAbsent,
  defineCollection,
  definePart,
  type DocumentOf,
  typeAs,
} from '../../platform/mongo/collection.ts';

/** Progress in the three-step wizard. */
export interface OnboardingProgress {
  currentStep: number;
  /** The answers that were entered so far. */
  data?: Record<string, string | number | boolean | null>;
}

const flag = { type: Boolean, required: true } as const;
const number = { type: Number, required: true } as const;

export const agentSchema = defineCollection(
  'agents',
  {
    workspaceId: { type: Schema.Types.ObjectId, required: true },
    name: { type: String, required: true, trim: true, maxlength: 100 },
    description: { type: String, default: '', trim: true, maxlength: 500 },
    apiKeyHash: { type: String, required: true },
    apiKeyPrefix: { type: String, required: true },
    /** Snapshot of `name` when the key was made; renaming the agent does not break its key. */
    apiKeyAgentScope: { type: String, required: true },
    isActive: { type: Boolean, default: true },
    /** Since when all its decisions are blocked; null or absent: they are not. */
    paused: allowAbsent({
      type: definePart({ reason: String, at: Date, by: Schema.Types.ObjectId }),
      default: null,
    }),
    policies: {
      strictMode: flag,
      logPayloads: flag,
      piiMasking: flag,
      autoBlockAnomalies: flag,
      confidenceThreshold: number,
      /** Null, zero or negative: no limit. */
      maxRequestsPerMinute: { type: Number, default: null },
      timeoutMs: number,
    },
    modelMetadata: typeAs<ModelMetadata | null>({ type: Schema.Types.Mixed, default: null }),
    /** Digest of the ML-BOM at its last refresh. */
    lastBom: { type: definePart({ digest: String, generatedAt: Date }), default: null },
    /** Null: not, or no longer, in onboarding. */
    onboardingProgress: typeAs<OnboardingProgress | null>({
      type: definePart({ currentStep: Number, data: Schema.Types.Mixed }, { minimize: false }),
      default: null,
    }),
    /** The user. */
    createdBy: { type: Schema.Types.ObjectId, required: true },
    deletedAt: { type: Date, default: null },
  },
  { timestamps: true, minimize: false },
);
export interface AgentDocument extends DocumentOf<typeof agentSchema> {}
agentSchema.index({ apiKeyHash: 1 }, { name: 'hash', unique: true });
agentSchema.index({ organizationId: 1, deletedAt: 1, createdAt: -1 }, { name: 'list' });
agentSchema.index({ organizationId: 1, apiKeyAgentScope: 1 }, { name: 'scope' });
