// Audit bundles: made by managers, read by them and by auditors.
import { ok } from '../../../setup/personas.ts';
import type { Tenant } from '../../tenant.ts';
import { managers, ofOne, paid } from '../access.ts';
import { type Example, page, type ResourceExamples } from '../example.ts';

const bodyOf = () => ({
  from: '2026-01-01T00:00:00Z',
  to: '2100-01-01T00:00:00Z',
  disclose: ['outputDecision'],
});

/** Creates a bundle; an unknown id where the plan has no bundles. */
async function newBundle({ harness, owner }: Tenant): Promise<string> {
  const call = { token: owner.token, body: bodyOf() };
  const made = await harness.app.call('POST', '/api/v1/audit-bundles', call);
  return made.body.code === 'UPGRADE_REQUIRED' ? '0'.repeat(24) : ok(made).body.data.id;
}
const ofBundle: Example = async (tenant) => ({ params: { id: await newBundle(tenant) } });
const read = paid({ ...managers, auditor: 'ok' });

export const auditBundles: ResourceExamples = {
  access: {
    'POST /api/v1/audit-bundles': paid(managers),
    'GET /api/v1/audit-bundles': read,
    'GET /api/v1/audit-bundles/:id': ofOne(read),
    'GET /api/v1/audit-bundles/:id/download': ofOne(read),
  },
  examples: {
    'POST /api/v1/audit-bundles': () => ({ body: bodyOf() }),
    'GET /api/v1/audit-bundles': () => ({ query: page }),
    'GET /api/v1/audit-bundles/:id': ofBundle,
    'GET /api/v1/audit-bundles/:id/download': ofBundle,
  },
};
