// Dry runs and regression tests of policies.
import { createPolicyBody } from '../../bodies.ts';
import { callAsOwner, type Tenant } from '../../tenant.ts';
import { managers, denyForeigner, readers, readersInPerson } from '../access.ts';
import { page, type ResourceExamples } from '../example.ts';

const fixture = (mark: string) => ({ outputDecision: { action: `${mark} wipe` } });

const testBody = (mark: string) => ({
  name: `${mark} test`,
  fixture: fixture(mark),
  expected: 'flag_for_review',
});

async function createTest(tenant: Tenant): Promise<Record<string, string>> {
  const operation = `POST /api/v1/policies/${tenant.policyId}/tests`;
  const { _id } = await callAsOwner(tenant, operation, testBody(tenant.mark));
  return { policyId: tenant.policyId, testId: _id as string };
}

const free = [
  'policy.conditions.0.value',
  'policy.actions.0.config',
  'policy.actions.0.config.reason',
];
const freeFixture = ['fixture', 'fixture.outputDecision', 'fixture.outputDecision.action'];

export const policyTrials: ResourceExamples = {
  access: {
    'POST /api/v1/policies/_new/dry-run': readersInPerson,
    'POST /api/v1/policies/:id/dry-run': denyForeigner(readersInPerson),
    'GET /api/v1/policies/:id/tests': denyForeigner(readers),
    'POST /api/v1/policies/:id/tests': denyForeigner(managers),
    'DELETE /api/v1/policies/:policyId/tests/:testId': denyForeigner(managers),
    'POST /api/v1/policies/:id/run-tests': denyForeigner(readersInPerson),
  },
  examples: {
    'POST /api/v1/policies/_new/dry-run': ({ mark }) => ({
      body: { policy: createPolicyBody(mark), fixture: fixture(mark) },
    }),
    'POST /api/v1/policies/:id/dry-run': ({ mark, policyId }) => ({
      params: { id: policyId },
      body: { policy: createPolicyBody(mark), fixture: fixture(mark) },
    }),
    'GET /api/v1/policies/:id/tests': ({ policyId }) => ({ params: { id: policyId }, query: page }),
    'POST /api/v1/policies/:id/tests': ({ mark, policyId }) => ({
      params: { id: policyId },
      body: testBody(mark),
    }),
    'DELETE /api/v1/policies/:policyId/tests/:testId': async (tenant) => ({
      params: await createTest(tenant),
    }),
    'POST /api/v1/policies/:id/run-tests': ({ mark, policyId }) => ({
      params: { id: policyId },
      body: { policy: createPolicyBody(mark) },
    }),
  },
  freeForm: {
    'POST /api/v1/policies/_new/dry-run': [...free, ...freeFixture],
    'POST /api/v1/policies/:id/dry-run': [...free, ...freeFixture],
    'POST /api/v1/policies/:id/tests': freeFixture,
    'POST /api/v1/policies/:id/run-tests': free,
  },
};
