// Inputs and views of agents (document 1, sections 2 and 4.3).
import { z } from 'zod';
import { id, instant, line } from '../../http/views.ts';
import { AGENT_STATUSES } from './agent-activity.model.ts';

const description = z.string().trim().max(500);

export const agentInput = z.object({
  name: line(100),
  description: description.default(''),
  onboarding: z.unknown().optional(),
});
export const agentChange = z.object({ name: line(100).optional(), description: description.optional() });

export const agentPoliciesChange = z
  .object({
    strictMode: z.boolean(),
    logPayloads: z.boolean(),
    piiMasking: z.boolean(),
    autoBlockAnomalies: z.boolean(),
    confidenceThreshold: z.number().min(0).max(1),
    maxRequestsPerMinute: z.number().int().max(1_000_000).nullable(),
    timeoutMs: z.number().int().min(100).max(60_000),
  })
  .partial();

const agentPolicies = z.object({
  strictMode: z.boolean(),
  logPayloads: z.boolean(),
  piiMasking: z.boolean(),
  autoBlockAnomalies: z.boolean(),
  confidenceThreshold: z.number(),
  maxRequestsPerMinute: z.number().nullable(),
  timeoutMs: z.number(),
});

const text = z.string().exactOptional();
const dataset = z.object({ name: text, uri: text, license: text, sha256: text, description: text });
const modelMetadata = z.object({
  provider: text,
  model: text,
  version: text,
  license: text,
  riskClass: text,
  purpose: text,
  trainingDataSummary: text,
  datasets: z.array(dataset).exactOptional(),
  lastBomDigest: text,
  lastBomGeneratedAt: instant.exactOptional(),
});

export const agentView = z.object({
  _id: id,
  id,
  organizationId: id,
  workspaceId: id,
  name: z.string(),
  description: z.string(),
  apiKeyPrefix: z.string(),
  apiKeyAgentScope: z.string(),
  status: z.enum(AGENT_STATUSES),
  isActive: z.boolean(),
  policies: agentPolicies,
  lastActive: instant.nullable(),
  modelMetadata: modelMetadata.nullable(),
  onboardingProgress: z.object({ currentStep: z.number() }).nullable(),
  createdAt: instant,
  updatedAt: instant,
});
/** The only answers that show the raw key. */
export const newAgentView = agentView.extend({ apiKey: z.string() });
export const deletedAgentView = z.object({ _id: id, id, deleted: z.literal(true) });
export const versionsExtra = z.object({
  history: z.array(
    z.object({ version: z.string(), firstSeenAt: instant, lastSeenAt: instant, traces: z.number().int() }),
  ),
});
export const analyticsView = z.object({
  totalTraces: z.number().int(),
  blocked: z.number().int(),
  flagged: z.number().int(),
  approved: z.number().int(),
});
