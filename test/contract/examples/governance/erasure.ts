// Erasures: acknowledged and executed by owners.
import { ok } from '../../../setup/personas.ts';
import { newDecision } from '../../records.ts';
import type { Tenant } from '../../tenant.ts';
import { ofOne, owners, readersInPerson } from '../access.ts';
import type { ResourceExamples } from '../example.ts';

async function newTraceId(tenant: Tenant): Promise<string> {
  const { harness, owner } = tenant;
  const path = `/api/v1/traces/${await newDecision(tenant)}`;
  return ok(await harness.app.call('GET', path, { token: owner.token })).body.data.traceId;
}

const bodyOf = async (tenant: Tenant) => ({
  traceIds: [await newTraceId(tenant)],
  reason: `${tenant.mark} reason`,
});

async function acknowledged(tenant: Tenant): Promise<Record<string, string>> {
  const { harness, owner } = tenant;
  const call = { token: owner.token, body: await bodyOf(tenant) };
  const answer = await harness.app.call('POST', '/api/v1/erasure/acknowledge', call);
  const { acknowledgementId, impactDigest } = ok(answer).body.data;
  return { acknowledgementId, impactDigest };
}

export const erasure: ResourceExamples = {
  access: {
    'POST /api/v1/erasure/acknowledge': ofOne(owners),
    'POST /api/v1/erasure/execute': ofOne(owners),
    'GET /api/v1/erasure/:id': ofOne(readersInPerson),
  },
  examples: {
    'POST /api/v1/erasure/acknowledge': async (tenant) => ({ body: await bodyOf(tenant) }),
    'POST /api/v1/erasure/execute': async (tenant) => ({ body: await acknowledged(tenant) }),
    'GET /api/v1/erasure/:id': async (tenant) => {
      const { acknowledgementId: id = '' } = await acknowledged(tenant);
      return { params: { id } };
    },
  },
};
