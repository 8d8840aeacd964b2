// The review queue.
import { decisionBody, policyBody } from '../../bodies.ts';
import { asOwner, type Tenant } from '../../tenant.ts';
import { ok } from '../../../setup/personas.ts';
import { managers, ofOne, readers, writers, type Access } from '../access.ts';
import type { Example, ResourceExamples } from '../example.ts';

const deciders: Access = { ...managers, reviewer: 'ok' };

interface Item {
  id: string;
  actionDigest: string;
}

/** Creates a decision held by its own policy, since the tenant's may be switched off by now. */
async function newItem(tenant: Tenant): Promise<Item> {
  const { harness, key, agentId, mark } = tenant;
  const body = { ...decisionBody(agentId, mark), outputDecision: { action: `${mark} wipe` } };
  await asOwner(tenant, 'POST /api/v1/policies', policyBody(mark));
  ok(await harness.app.call('POST', '/api/v1/traces', { key, body }));
  const [newest] = await asOwner(tenant, 'GET /api/v1/review-queue?status=pending');
  return newest as Item;
}

const decided: Example = async (tenant) => {
  const { id, actionDigest } = await newItem(tenant);
  const words = { reason: `${tenant.mark} reason`, notes: `${tenant.mark} notes` };
  return { params: { id }, body: { decision: 'approve', ...words, actionDigest } };
};

export const reviewQueue: ResourceExamples = {
  access: {
    'GET /api/v1/review-queue': readers,
    'POST /api/v1/review-queue/:id/decision': ofOne(deciders),
    'POST /api/v1/review-queue/bulk-decision': ofOne(deciders),
    'PATCH /api/v1/review-queue/:id/assign': ofOne(writers),
    'POST /api/v1/review-queue/:id/escalate': ofOne(writers),
  },
  examples: {
    'GET /api/v1/review-queue': async (tenant) => {
      await newItem(tenant);
      return { query: { status: 'pending' } };
    },
    'POST /api/v1/review-queue/:id/decision': decided,
    'POST /api/v1/review-queue/bulk-decision': async (tenant) => ({
      body: {
        ids: [(await newItem(tenant)).id],
        decision: 'reject',
        reason: `${tenant.mark} reason`,
      },
    }),
    'PATCH /api/v1/review-queue/:id/assign': async (tenant) => ({
      params: { id: (await newItem(tenant)).id },
      body: { assignedTo: tenant.owner.userId },
    }),
    'POST /api/v1/review-queue/:id/escalate': async (tenant) => ({
      params: { id: (await newItem(tenant)).id },
      body: { reason: `${tenant.mark} reason`, escalateTo: tenant.owner.userId },
    }),
  },
};
