// Agents: their register, policies, bills of materials and onboarding.
import { generateKeyPairSync, sign } from 'node:crypto';
import { generateHex } from '../../../src/platform/ids.ts';
import { createModelMetadata } from '../bodies.ts';
import { callAsOwner, type Tenant } from '../tenant.ts';
import { assertOk } from '../../setup/personas.ts';
import { denyForeigner, everybody, managers, readers, readersInPerson } from './access.ts';
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

const { publicKey, privateKey } = generateKeyPairSync('ed25519');

const createTrustBody = ({ mark }: Tenant) => ({
  issuer: `https://${mark}.example.com`,
  audience: `${mark} audience`,
  subject: { pattern: `${mark}:.*` },
  claims: { repository_id: '74' },
  jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: mark }] },
  maxAgeSeconds: 600,
  once: true,
  grant: { tools: [`${mark} tool`], until: '2099-01-01T00:00:00.000Z', depth: 2 },
});

/** The token of a workload that the trust of `createTrust` fits. */
function signWorkload({ mark }: Tenant): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: `https://${mark}.example.com`,
    aud: `${mark} audience`,
    sub: `${mark}:workload`,
    jti: generateHex(12),
    repository_id: '74',
    iat: now,
    exp: now + 600,
  };
  const parts = [{ alg: 'EdDSA', kid: mark }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const text = parts.join('.');
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
}

const createTrust = async (tenant: Tenant) => {
  const id = await registerAgent(tenant);
  const path = `/api/v1/agents/${id}/trusts`;
  const { token } = tenant.owner;
  const answer = await tenant.harness.app.call('POST', path, {
    token,
    body: createTrustBody(tenant),
  });
  return { params: { id, trustId: assertOk(answer).body.data._id as string } };
};

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
    'GET /api/v1/agents/:id/trusts': denyForeigner(readers),
    'POST /api/v1/agents/:id/trusts': denyForeigner(managers),
    'DELETE /api/v1/agents/:id/trusts/:trustId': denyForeigner(managers),
    'POST /api/v1/auth/token': everybody,
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
    'GET /api/v1/agents/:id/trusts': selectAgent,
    'POST /api/v1/agents/:id/trusts': async (tenant) => ({
      params: { id: await registerAgent(tenant) },
      body: createTrustBody(tenant),
    }),
    'DELETE /api/v1/agents/:id/trusts/:trustId': createTrust,
    'POST /api/v1/auth/token': async (tenant) => {
      const { params } = await createTrust(tenant);
      return {
        form: {
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          audience: params.id,
          subject_token: tenant.owner.token,
          subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
          actor_token: signWorkload(tenant),
          actor_token_type: 'urn:ietf:params:oauth:token-type:jwt',
          requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
          grant: JSON.stringify(createTrustBody(tenant).grant),
        },
      };
    },
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
    'POST /api/v1/agents/:id/trusts': ['claims', 'jwks.keys.0'],
    'POST /api/v1/auth/token': [
      'grant_type',
      'audience',
      'subject_token',
      'subject_token_type',
      'actor_token',
      'actor_token_type',
      'requested_token_type',
      'grant',
    ],
  },
};
