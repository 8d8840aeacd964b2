// Audit bundles: made by managers, read by them and by auditors.
import { assertOk } from '../../../setup/personas.ts';
import type { Tenant } from '../../tenant.ts';
import { managers, denyForeigner, requirePaidPlan } from '../access.ts';
import { type Example, page, type ResourceExamples } from '../example.ts';

const createBody = () => ({
  from: '2026-01-01T00:00:00Z',
  to: '2100-01-01T00:00:00Z',
  disclose: ['outputDecision'],
});

/** Creates a bundle; an unknown id where the plan has no bundles. */
async function createBundle({ harness, owner }: Tenant): Promise<string> {
  const call = { token: owner.token, body: createBody() };
  const made = await harness.app.call('POST', '/api/v1/audit-bundles', call);
  return made.body.code === 'UPGRADE_REQUIRED' ? '0'.repeat(24) : assertOk(made).body.data.id;
}
const selectBundle: Example = async (tenant) => ({ params: { id: await createBundle(tenant) } });
const read = requirePaidPlan({ ...managers, auditor: 'ok' });

export const auditBundles: ResourceExamples = {
  access: {
    'POST /api/v1/audit-bundles': requirePaidPlan(managers),
    'GET /api/v1/audit-bundles': read,
    'GET /api/v1/audit-bundles/:id': denyForeigner(read),
    'GET /api/v1/audit-bundles/:id/download': denyForeigner(read),
  },
  examples: {
    'POST /api/v1/audit-bundles': () => ({ body: createBody() }),
    'GET /api/v1/audit-bundles': () => ({ query: page }),
    'GET /api/v1/audit-bundles/:id': selectBundle,
    'GET /api/v1/audit-bundles/:id/download': selectBundle,
  },
};
