// Groups of held and blocked decisions.
import { callAsOwner, type Tenant } from '../../tenant.ts';
import { denyForeigner, readers, reviewers } from '../access.ts';
import type { ResourceExamples } from '../example.ts';
import { createHeldItem } from './review-queue.ts';

const DAY_MS = 86_400_000;

interface Group {
  group: string;
}

/** One may be muted by another trial. */
async function createGroup(tenant: Tenant): Promise<string> {
  await createHeldItem(tenant);
  const listed = await callAsOwner(tenant, 'GET /api/v1/traces/groups');
  const muted = await callAsOwner(tenant, 'GET /api/v1/traces/groups?muted=true');
  const [first] = [...(listed as Group[]), ...(muted as Group[])];
  return first?.group ?? '';
}

export const decisionGroups: ResourceExamples = {
  access: {
    'GET /api/v1/traces/groups': readers,
    'PUT /api/v1/traces/groups/:group/mute': denyForeigner(reviewers),
    'DELETE /api/v1/traces/groups/:group/mute': denyForeigner(reviewers),
  },
  examples: {
    'GET /api/v1/traces/groups': async (tenant) => {
      await createHeldItem(tenant);
      return {
        query: { state: 'waiting', muted: 'false', dateFrom: '2020-01-01', dateTo: '2100-01-01' },
      };
    },
    'PUT /api/v1/traces/groups/:group/mute': async (tenant) => ({
      params: { group: await createGroup(tenant) },
      body: { until: new Date(Date.now() + DAY_MS).toISOString() },
    }),
    'DELETE /api/v1/traces/groups/:group/mute': async (tenant) => ({
      params: { group: await createGroup(tenant) },
    }),
  },
};
