// Erasures: acknowledged and executed by owners.
import { assertOk } from '../../../setup/personas.ts';
import { createDecision } from '../../records.ts';
import type { Tenant } from '../../tenant.ts';
import { denyForeigner, owners, readersInPerson } from '../access.ts';
import { page, type ResourceExamples } from '../example.ts';

async function createTrace(tenant: Tenant): Promise<string> {
  const { harness, owner } = tenant;
  const path = `/api/v1/traces/${await createDecision(tenant)}`;
  return assertOk(await harness.app.call('GET', path, { token: owner.token })).body.data.traceId;
}

const createBody = async (tenant: Tenant) => ({
  traceIds: [await createTrace(tenant)],
  reason: `${tenant.mark} reason`,
});

async function confirmErasure(tenant: Tenant): Promise<Record<string, string>> {
  const { harness, owner } = tenant;
  const call = { token: owner.token, body: await createBody(tenant) };
  const answer = await harness.app.call('POST', '/api/v1/erasure/acknowledge', call);
  const { acknowledgementId, impactDigest } = assertOk(answer).body.data;
  return { acknowledgementId, impactDigest };
}

export const erasure: ResourceExamples = {
  access: {
    'POST /api/v1/erasure/acknowledge': denyForeigner(owners),
    'POST /api/v1/erasure/execute': denyForeigner(owners),
    'GET /api/v1/erasure': readersInPerson,
    'GET /api/v1/erasure/:id': denyForeigner(readersInPerson),
  },
  examples: {
    'POST /api/v1/erasure/acknowledge': async (tenant) => ({ body: await createBody(tenant) }),
    'POST /api/v1/erasure/execute': async (tenant) => ({ body: await confirmErasure(tenant) }),
    'GET /api/v1/erasure': () => ({ query: page }),
    'GET /api/v1/erasure/:id': async (tenant) => {
      const { acknowledgementId: id = '' } = await confirmErasure(tenant);
      return { params: { id } };
    },
  },
};
