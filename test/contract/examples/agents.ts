// Agents: their register, policies, bills of materials and onboarding.
import { generateHex } from '../../../src/platform/ids.ts';
import { createModelMetadata } from '../bodies.ts';
import { callAsOwner, type Tenant } from '../tenant.ts';
import { managers, denyForeigner, readers, readersInPerson } from './access.ts';
import { type Example, sendNothing, page, type ResourceExamples } from './example.ts';

const selectAgent: Example = ({ agentId }) => ({ params: { id: agentId } });

async function registerAgent(tenant: Tenant): Promise<string> {
  const body = { name: `${tenant.mark} ${generateHex(6)}` };
  return (await callAsOwner(tenant, 'POST /api/v1/agents', body))._id as string;
}

async function createDraft(tenant: Tenant): Promise<string> {
  const body = { name: `${tenant.mark} draft`, onboarding: true };
  return (await callAsOwner(tenant, 'POST /api/v1/agents', body))._id as string;
}

export const agents: ResourceExamples = {
  access: {
    'GET /api/v1/agents': readers,
    'GET /api/v1/agents/seen': readers,
    'POST /api/v1/agents': managers,
    'GET /api/v1/agents/:id': denyForeigner(readers),
    'PATCH /api/v1/agents/:id': denyForeigner(managers),
    'DELETE /api/v1/agents/:id': denyForeigner(managers),
    'POST /api/v1/agents/:id/regenerate-key': denyForeigner(managers),
    'PATCH /api/v1/agents/:id/policies': denyForeigner(managers),
    'POST /api/v1/agents/:id/pause': denyForeigner(managers),
    'POST /api/v1/agents/:id/resume': denyForeigner(managers),
    'GET /api/v1/agents/:id/versions': denyForeigner(readers),
    'GET /api/v1/agents/:id/analytics': denyForeigner(readers),
    'GET /api/v1/agents/:id/ml-bom': denyForeigner(readers),
    'POST /api/v1/agents/:id/ml-bom/refresh': denyForeigner(managers),
    'GET /api/v1/agents/onboarding/draft': readersInPerson,
    'PATCH /api/v1/agents/:id/onboarding': denyForeigner(managers),
    'POST /api/v1/agents/:id/onboarding/complete': denyForeigner(managers),
    'DELETE /api/v1/agents/:id/onboarding': denyForeigner(managers),
  },
  examples: {
    'GET /api/v1/agents': () => ({ query: page }),
    'POST /api/v1/agents': ({ mark }) => ({
      body: {
        name: `${mark} ${generateHex(6)}`,
        description: `${mark} description`,
        modelMetadata: createModelMetadata(mark),
        onboarding: true,
      },
    }),
    'GET /api/v1/agents/seen': sendNothing,
    'GET /api/v1/agents/:id': selectAgent,
    'PATCH /api/v1/agents/:id': async (tenant) => ({
      params: { id: await registerAgent(tenant) },
      body: {
        name: `${tenant.mark} ${generateHex(6)}`,
        description: `${tenant.mark} description`,
        modelMetadata: createModelMetadata(tenant.mark),
      },
    }),
    'DELETE /api/v1/agents/:id': async (tenant) => ({
      params: { id: await registerAgent(tenant) },
    }),
    'POST /api/v1/agents/:id/regenerate-key': async (tenant) => ({
      params: { id: await registerAgent(tenant) },
    }),
    'PATCH /api/v1/agents/:id/policies': async (tenant) => ({
      params: { id: await registerAgent(tenant) },
      body: {
        strictMode: true,
        logPayloads: true,
        piiMasking: true,
        autoBlockAnomalies: false,
        confidenceThreshold: 0.5,
        maxRequestsPerMinute: 100_000,
        timeoutMs: 5000,
      },
    }),
    'POST /api/v1/agents/:id/pause': async (tenant) => ({
      params: { id: await registerAgent(tenant) },
      body: { reason: `${tenant.mark} reason` },
    }),
    'POST /api/v1/agents/:id/resume': async (tenant) => ({
      params: { id: await registerAgent(tenant) },
      body: { reason: `${tenant.mark} reason` },
    }),
    'GET /api/v1/agents/:id/versions': selectAgent,
    'GET /api/v1/agents/:id/analytics': selectAgent,
    'GET /api/v1/agents/:id/ml-bom': selectAgent,
    'POST /api/v1/agents/:id/ml-bom/refresh': selectAgent,
    'GET /api/v1/agents/onboarding/draft': sendNothing,
    'PATCH /api/v1/agents/:id/onboarding': async (tenant) => ({
      params: { id: await createDraft(tenant) },
      body: { currentStep: 2, data: { answer: `${tenant.mark} answer` } },
    }),
    'POST /api/v1/agents/:id/onboarding/complete': async (tenant) => ({
      params: { id: await createDraft(tenant) },
    }),
    'DELETE /api/v1/agents/:id/onboarding': async (tenant) => ({
      params: { id: await createDraft(tenant) },
    }),
  },
  freeForm: {
    'POST /api/v1/agents': ['onboarding'],
  },
};
