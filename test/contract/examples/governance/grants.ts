// Standing grants: of agents and tools made for them, so that other examples are held as ever.
import { assertOk, createAgent } from '../../../setup/personas.ts';
import { createDecisionBody } from '../../bodies.ts';
import type { Tenant } from '../../tenant.ts';
import { denyForeigner, managers, readers, refuseScopedKey, reviewers } from '../access.ts';
import { page, type ResourceExamples } from '../example.ts';

const reading = refuseScopedKey(readers);
const terms = { expiresIn: 3600, uses: 3 };

let tools = 0;
/** A decision that the owner has approved. */
async function approve({ harness, owner, mark }: Tenant): Promise<string> {
  const { app } = harness;
  const { token } = owner;
  const tool = `granted_${(tools += 1)}`;
  const call = async (method: string, path: string, body: object) =>
    assertOk(await app.call(method, `/api/v1${path}`, { token, body })).body.data;
  await call('PUT', `/tools/${tool}`, { entries: [{ does: ['write'], gives: [] }] });
  const conditions = [{ field: 'action.names', operator: 'contains', value: tool }];
  const actions = [{ type: 'flag_for_review' }];
  await call('POST', '/policies', { name: `${mark} ${tool}`, conditions, actions });
  const agent = await createAgent(app, owner);
  const body = {
    ...createDecisionBody(agent.id, `${mark} ${tool}`),
    outputDecision: { action: { tool, arguments: { amount: 1 } } },
  };
  const { data } = assertOk(
    await app.call('POST', '/api/v1/traces', { key: agent.key, body }),
  ).body;
  await call('POST', `/review-queue/${data.reviewId}/decision`, { decision: 'approve' });
  return data.traceId as string;
}

async function createGrant(tenant: Tenant): Promise<{ id: string; agentId: string }> {
  const { token } = tenant.owner;
  const body = { ...terms, fromTraceId: await approve(tenant), reason: tenant.mark };
  return assertOk(await tenant.harness.app.call('POST', '/api/v1/grants', { token, body })).body
    .data;
}

export const grants: ResourceExamples = {
  access: {
    'GET /api/v1/grants': reading,
    // By the person who approved the decision.
    'POST /api/v1/grants': {
      ...denyForeigner(reviewers),
      admin: 'INVALID_OPERATION',
      reviewer: 'INVALID_OPERATION',
    },
    'POST /api/v1/grants/revoke': managers,
    'GET /api/v1/grants/:id': denyForeigner(reading),
    'DELETE /api/v1/grants/:id': denyForeigner(reviewers),
  },
  examples: {
    'GET /api/v1/grants': ({ agentId }) => ({ query: { ...page, standing: 'true', agentId } }),
    'POST /api/v1/grants': async (tenant) => ({
      body: {
        ...terms,
        fromTraceId: await approve(tenant),
        when: [{ field: 'arguments.amount', operator: 'at_most', value: 5 }],
        reason: `${tenant.mark} reason`,
      },
    }),
    'POST /api/v1/grants/revoke': async (tenant) => ({
      body: { agentId: (await createGrant(tenant)).agentId, reason: `${tenant.mark} reason` },
    }),
    'GET /api/v1/grants/:id': async (tenant) => ({
      params: { id: (await createGrant(tenant)).id },
    }),
    'DELETE /api/v1/grants/:id': async (tenant) => ({
      params: { id: (await createGrant(tenant)).id },
      body: { reason: `${tenant.mark} reason` },
    }),
  },
};
