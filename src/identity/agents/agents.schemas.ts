// Inputs and views of agents (document 1, sections 2 and 4.3).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { makeOptional, optional, withDefault } from '../../http/declaration/optional.ts';
import { id, instant, singleLine, createDeletedView } from '../../http/declaration/views.ts';
import { AGENT_STATUSES } from './activity/agent-activity.model.ts';
import { modelMetadataInput, modelMetadataView } from './ml-bom/ml-bom.schemas.ts';
import { onboardingProgress } from './onboarding/onboarding.schemas.ts';

const name = singleLine(100);
const description = z.string().trim().max(500);

export const agentInput = z.object({
  name,
  description: withDefault(description, ''),
  modelMetadata: optional(modelMetadataInput),
  onboarding: optional(z.unknown()).describe('Anything true starts the onboarding at step 1'),
});
export const agentChange = z.object({
  name: optional(name),
  description: optional(description),
  modelMetadata: optional(modelMetadataInput.nullable()).describe(
    'Replaces what was stated before',
  ),
});

export const pauseInput = z.object({
  reason: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .describe('Why; the agent gets it, and it stands in the audit log'),
});
export const resumeInput = z.object({
  reason: optional(pauseInput.shape.reason).describe('Why; it stands in the audit log'),
});

const agentPolicies = z.object({
  strictMode: z.boolean().describe('Stricter confidence thresholds'),
  logPayloads: z.boolean().describe('Keep inputs and outputs, scrubbed of personal data'),
  piiMasking: z.boolean().describe('Apply the additional scrubbing pass'),
  autoBlockAnomalies: z.boolean().describe('Block what the engine flags as an anomaly'),
  confidenceThreshold: z.number().min(0).max(1),
  maxRequestsPerMinute: z
    .int()
    .max(1_000_000)
    .nullable()
    .describe('Null, zero or negative: no limit'),
  timeoutMs: z.int().min(100).max(60_000),
});
export const agentPoliciesChange = z.object(makeOptional(agentPolicies.shape));

export const agentView = z.object({
  _id: id,
  id,
  organizationId: id,
  workspaceId: id,
  name,
  description,
  apiKeyPrefix: z.string().describe('Last 8 characters of the key'),
  apiKeyAgentScope: z.string().describe('The name when the key was made'),
  status: z.enum(AGENT_STATUSES),
  isActive: z.boolean(),
  paused: z
    .object({ reason: z.string(), at: instant, by: id })
    .nullable()
    .describe('While it is paused, all its decisions are blocked; null: it is not'),
  policies: agentPolicies,
  lastActive: instant.nullable(),
  observed: z
    .object({
      acts: z.int(),
      breaches: z.int().describe('Of them those that policies hold or block, or a verdict did'),
      lastAt: instant.nullable(),
    })
    .describe('Acts that were not asked for, as spans report them: `GET /traces?observed=true`'),
  modelMetadata: modelMetadataView.nullable(),
  onboardingProgress: onboardingProgress.nullable(),
  createdAt: instant,
  updatedAt: instant,
});
/** The only answers that show the raw key. */
export const newAgentView = agentView.extend({ apiKey: z.string() });
export const deletedAgentView = createDeletedView();

export const draftView = z.object({ agent: agentView.nullable() });

export const seenAgentView = z.object({
  name: z.string().describe('As decisions name it'),
  decisions: z.int().describe('Of the newest 5,000 of the organisation'),
  lastActive: instant,
});

const versionSeen = z.object({
  version: z.string(),
  firstSeenAt: instant,
  lastSeenAt: instant,
  traces: z.int(),
});
export const versionsExtra = z.object({ history: z.array(versionSeen) });
export const analyticsView = z.object({
  totalTraces: z.int(),
  blocked: z.int(),
  flagged: z.int(),
  approved: z.int(),
});
/** Lifetime counts by the verdict at ingestion. */
export type AgentAnalytics = z.input<typeof analyticsView>;

nameSchemas({
  AgentInput: agentInput,
  AgentChange: agentChange,
  SeenAgent: seenAgentView,
  AgentPauseInput: pauseInput,
  AgentResumeInput: resumeInput,
  AgentPolicies: agentPolicies,
  AgentPoliciesChange: agentPoliciesChange,
  Agent: agentView,
  NewAgent: newAgentView,
  DeletedAgent: deletedAgentView,
  OnboardingDraft: draftView,
  AgentVersion: versionSeen,
  AgentAnalytics: analyticsView,
});
