// Agents: their register, policies, bills of materials and onboarding.
import { randomHex } from '../../../src/platform/ids.ts';
import { modelMetadata } from '../bodies.ts';
import { asOwner, type Tenant } from '../tenant.ts';
import { managers, ofOne, readers, readersInPerson } from './access.ts';
import { type Example, nothing, page, type ResourceExamples } from './example.ts';

const ofAgent: Example = ({ agentId }) => ({ params: { id: agentId } });

async function newAgent(tenant: Tenant): Promise<string> {
  const body = { name: `${tenant.mark} ${randomHex(6)}` };
  return (await asOwner(tenant, 'POST /api/v1/agents', body))._id as string;
}

async function newDraft(tenant: Tenant): Promise<string> {
  const body = { name: `${tenant.mark} draft`, onboarding: true };
  return (await asOwner(tenant, 'POST /api/v1/agents', body))._id as string;
}

export const agents: ResourceExamples = {
  access: {
    'GET /api/v1/agents': readers,
    'POST /api/v1/agents': managers,
    'GET /api/v1/agents/:id': ofOne(readers),
    'PATCH /api/v1/agents/:id': ofOne(managers),
    'DELETE /api/v1/agents/:id': ofOne(managers),
    'POST /api/v1/agents/:id/regenerate-key': ofOne(managers),
    'PATCH /api/v1/agents/:id/policies': ofOne(managers),
    'GET /api/v1/agents/:id/versions': ofOne(readers),
    'GET /api/v1/agents/:id/analytics': ofOne(readers),
    'GET /api/v1/agents/:id/ml-bom': ofOne(readers),
    'POST /api/v1/agents/:id/ml-bom/refresh': ofOne(managers),
    'GET /api/v1/agents/onboarding/draft': readersInPerson,
    'PATCH /api/v1/agents/:id/onboarding': ofOne(managers),
    'POST /api/v1/agents/:id/onboarding/complete': ofOne(managers),
    'DELETE /api/v1/agents/:id/onboarding': ofOne(managers),
  },
  examples: {
    'GET /api/v1/agents': () => ({ query: page }),
    'POST /api/v1/agents': ({ mark }) => ({
      body: {
        name: `${mark} ${randomHex(6)}`,
        description: `${mark} description`,
        modelMetadata: modelMetadata(mark),
        onboarding: true,
      },
    }),
    'GET /api/v1/agents/:id': ofAgent,
    'PATCH /api/v1/agents/:id': async (tenant) => ({
      params: { id: await newAgent(tenant) },
      body: {
        name: `${tenant.mark} ${randomHex(6)}`,
        description: `${tenant.mark} description`,
        modelMetadata: modelMetadata(tenant.mark),
      },
    }),
    'DELETE /api/v1/agents/:id': async (tenant) => ({ params: { id: await newAgent(tenant) } }),
    'POST /api/v1/agents/:id/regenerate-key': async (tenant) => ({
      params: { id: await newAgent(tenant) },
    }),
    'PATCH /api/v1/agents/:id/policies': async (tenant) => ({
      params: { id: await newAgent(tenant) },
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
    'GET /api/v1/agents/:id/versions': ofAgent,
    'GET /api/v1/agents/:id/analytics': ofAgent,
    'GET /api/v1/agents/:id/ml-bom': ofAgent,
    'POST /api/v1/agents/:id/ml-bom/refresh': ofAgent,
    'GET /api/v1/agents/onboarding/draft': nothing,
    'PATCH /api/v1/agents/:id/onboarding': async (tenant) => ({
      params: { id: await newDraft(tenant) },
      body: { currentStep: 2, data: { answer: `${tenant.mark} answer` } },
    }),
    'POST /api/v1/agents/:id/onboarding/complete': async (tenant) => ({
      params: { id: await newDraft(tenant) },
    }),
    'DELETE /api/v1/agents/:id/onboarding': async (tenant) => ({
      params: { id: await newDraft(tenant) },
    }),
  },
  freeForm: {
    'POST /api/v1/agents': ['onboarding'],
  },
};
