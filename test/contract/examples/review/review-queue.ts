// The review queue.
import { createDecisionBody, createPolicyBody } from '../../bodies.ts';
import { callAsOwner, type Tenant } from '../../tenant.ts';
import { assertOk } from '../../../setup/personas.ts';
import { denyForeigner, readers, reviewers, writers } from '../access.ts';
import type { Example, ResourceExamples } from '../example.ts';

interface Item {
  id: string;
  traceId: string;
  actionDigest: string;
}

/** Creates a decision held by its own policy, since the tenant's may be switched off by now. */
export async function createHeldItem(tenant: Tenant): Promise<Item> {
  const { harness, key, agentId, mark } = tenant;
  const body = { ...createDecisionBody(agentId, mark), outputDecision: { action: `${mark} wipe` } };
  await callAsOwner(tenant, 'POST /api/v1/policies', createPolicyBody(mark));
  assertOk(await harness.app.call('POST', '/api/v1/traces', { key, body }));
  const [newest] = await callAsOwner(tenant, 'GET /api/v1/review-queue?status=pending');
  return newest as Item;
}

const decideItem: Example = async (tenant) => {
  const { id, actionDigest } = await createHeldItem(tenant);
  const words = { reason: `${tenant.mark} reason`, notes: `${tenant.mark} notes` };
  return { params: { id }, body: { decision: 'approve', ...words, actionDigest } };
};

export const reviewQueue: ResourceExamples = {
  access: {
    'GET /api/v1/review-queue': readers,
    'GET /api/v1/review-queue/:id': denyForeigner(readers),
    'GET /api/v1/review-queue/:id/statement': denyForeigner(reviewers),
    'POST /api/v1/review-queue/:id/decision': denyForeigner(reviewers),
    'POST /api/v1/review-queue/bulk-decision': denyForeigner(reviewers),
    'PATCH /api/v1/review-queue/:id/assign': denyForeigner(writers),
    'POST /api/v1/review-queue/:id/escalate': denyForeigner(writers),
    'POST /api/v1/traces/:id/withdraw': denyForeigner({
      ...writers,
      workspaceKey: 'ok',
      agentKey: 'ok',
    }),
  },
  examples: {
    'GET /api/v1/review-queue': async (tenant) => {
      await createHeldItem(tenant);
      return {
        query: {
          status: 'pending',
          agentId: tenant.agentId,
          assignedTo: 'none',
          overdue: 'false',
          group: 'A'.repeat(22),
          cursor: '1000000',
          sort: 'newest',
          limit: '500',
        },
      };
    },
    'GET /api/v1/review-queue/:id': async (tenant) => ({
      params: { id: (await createHeldItem(tenant)).id },
    }),
    'GET /api/v1/review-queue/:id/statement': async (tenant) => ({
      params: { id: (await createHeldItem(tenant)).id },
      query: { decision: 'approve' },
    }),
    'POST /api/v1/review-queue/:id/decision': decideItem,
    'POST /api/v1/review-queue/bulk-decision': async (tenant) => {
      const { id, actionDigest } = await createHeldItem(tenant);
      const reason = `${tenant.mark} reason`;
      const actionDigests = { [id]: actionDigest };
      return { body: { ids: [id], decision: 'reject', reason, actionDigests } };
    },
    'POST /api/v1/traces/:id/withdraw': async (tenant) => ({
      params: { id: (await createHeldItem(tenant)).traceId },
      body: { reason: `${tenant.mark} reason` },
    }),
    'PATCH /api/v1/review-queue/:id/assign': async (tenant) => ({
      params: { id: (await createHeldItem(tenant)).id },
      body: { assignedTo: tenant.owner.userId },
    }),
    'POST /api/v1/review-queue/:id/escalate': async (tenant) => ({
      params: { id: (await createHeldItem(tenant)).id },
      body: { reason: `${tenant.mark} reason`, escalateTo: tenant.owner.userId },
    }),
  },
};
