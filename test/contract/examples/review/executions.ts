// Executions of decisions.
import { createHash } from 'node:crypto';
import { canonicalize, type Json } from '@assay/json';
import { assertOk } from '../../../setup/personas.ts';
import { createDecisionBody } from '../../bodies.ts';
import type { Tenant } from '../../tenant.ts';
import { agentKeys, denyForeigner, managers, readers } from '../access.ts';
import type { ResourceExamples } from '../example.ts';

const digest = (value: Json): string =>
  createHash('sha256').update(canonicalize(value)).digest('hex');

interface Claimable {
  params: { id: string };
  body: { rawActionDigest: string; leaseSeconds: number };
}

/** A decision made for the purpose, with what claims its action. */
async function createClaimable({ harness, key, agentId, mark }: Tenant): Promise<Claimable> {
  const action = { tool: 'reply', mark };
  const body = { ...createDecisionBody(agentId, mark), outputDecision: { action } };
  const { traceId: id } = assertOk(await harness.app.call('POST', '/api/v1/traces', { key, body }))
    .body.data;
  return { params: { id }, body: { rawActionDigest: digest(action), leaseSeconds: 3600 } };
}

async function createExecution(tenant: Tenant): Promise<{ id: string; executionId: string }> {
  const { params, body } = await createClaimable(tenant);
  const { key, harness } = tenant;
  const path = `/api/v1/traces/${params.id}/executions`;
  const { executionId } = assertOk(await harness.app.call('POST', path, { key, body })).body.data;
  return { id: params.id, executionId };
}

export const executions: ResourceExamples = {
  access: {
    'POST /api/v1/traces/:id/executions': agentKeys,
    'PATCH /api/v1/traces/:id/executions/:executionId': agentKeys,
    'POST /api/v1/traces/:id/executions/:executionId/reconcile': denyForeigner(managers),
    'GET /api/v1/traces/:id/executions': { ...denyForeigner(readers), agentKey: 'ok' },
  },
  examples: {
    'POST /api/v1/traces/:id/executions': createClaimable,
    'PATCH /api/v1/traces/:id/executions/:executionId': async (tenant) => ({
      params: await createExecution(tenant),
      body: {
        outcome: 'succeeded',
        resultDigest: digest('ok'),
        summary: `${tenant.mark} summary`,
        durationMs: 12,
        labels: ['receipt'],
      },
    }),
    'POST /api/v1/traces/:id/executions/:executionId/reconcile': async (tenant) => ({
      params: await createExecution(tenant),
      body: { outcome: 'failed', summary: `${tenant.mark} summary` },
    }),
    'GET /api/v1/traces/:id/executions': async (tenant) => ({
      params: { id: (await createExecution(tenant)).id },
    }),
  },
};
