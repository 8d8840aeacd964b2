// Halts: of agents made for it, so that those of the other examples go on.
import { createAgent } from '../../../setup/personas.ts';
import { createDecisionBody } from '../../bodies.ts';
import type { Tenant } from '../../tenant.ts';
import {
  agentKeys,
  denyForeigner,
  managers,
  readers,
  reviewers,
  refuseScopedKey,
} from '../access.ts';
import { page, type ResourceExamples } from '../example.ts';

async function createTarget({ harness, owner }: Tenant): Promise<string> {
  return (await createAgent(harness.app, owner)).id;
}

async function createHalt(tenant: Tenant): Promise<string> {
  const body = { scope: 'agent', target: await createTarget(tenant), reason: tenant.mark };
  const { token } = tenant.owner;
  return (await tenant.harness.app.call('POST', '/api/v1/halts', { token, body })).body.data.id;
}

let sessions = 0;
/** A decision in a session of its own. */
async function createSession({ harness, agentId, agentKey, mark }: Tenant): Promise<string> {
  const sessionId = `${mark} session ${(sessions += 1)}`;
  const body = { ...createDecisionBody(agentId, `${mark} ${sessions}`), sessionId };
  const { data } = (await harness.app.call('POST', '/api/v1/traces', { key: agentKey, body })).body;
  return data.traceId;
}

const reading = refuseScopedKey(readers);

export const halts: ResourceExamples = {
  access: {
    'GET /api/v1/halts': reading,
    'POST /api/v1/halts': denyForeigner(reviewers),
    'POST /api/v1/halts/own': agentKeys,
    'GET /api/v1/halts/:id': denyForeigner(reading),
    'POST /api/v1/halts/:id/resume': denyForeigner(managers),
  },
  examples: {
    'GET /api/v1/halts': () => ({ query: { ...page, binding: 'true', scope: 'agent' } }),
    'POST /api/v1/halts': async (tenant) => ({
      body: {
        scope: 'agent',
        target: await createTarget(tenant),
        state: 'watched',
        reason: `${tenant.mark} reason`,
      },
    }),
    'POST /api/v1/halts/own': async (tenant) => ({
      body: {
        scope: 'session',
        target: await createSession(tenant),
        reason: `${tenant.mark} reason`,
      },
    }),
    'GET /api/v1/halts/:id': async (tenant) => ({ params: { id: await createHalt(tenant) } }),
    'POST /api/v1/halts/:id/resume': async (tenant) => ({
      params: { id: await createHalt(tenant) },
      body: { to: 'watched' },
    }),
  },
};
