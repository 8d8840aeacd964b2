// Compliance mapping: read by everybody, attested by managers.
import { assertOk } from '../../../setup/personas.ts';
import { denyForeigner, managers, requirePaidPlan, readers, readersInPerson } from '../access.ts';
import { type Example, sendNothing, type ResourceExamples } from '../example.ts';

/** The id of a new report; an unknown one where the plan has none. */
const selectReport: Example = async ({ harness, owner }) => {
  const call = { token: owner.token, body: { framework: 'nist-rmf' } };
  const made = await harness.app.call('POST', '/api/v1/compliance/reports', call);
  const isRefused = made.body.code === 'UPGRADE_REQUIRED';
  return { params: { id: isRefused ? '0'.repeat(24) : assertOk(made).body.data.id } };
};

export const compliance: ResourceExamples = {
  access: {
    'GET /api/v1/compliance/mapping': requirePaidPlan(readers),
    'PATCH /api/v1/compliance/mapping': requirePaidPlan(managers),
    'GET /api/v1/compliance/proofs': requirePaidPlan(readersInPerson),
    'POST /api/v1/compliance/reports': requirePaidPlan(managers),
    'GET /api/v1/compliance/reports': requirePaidPlan(readersInPerson),
    'GET /api/v1/compliance/reports/:id/pdf': denyForeigner(requirePaidPlan(readersInPerson)),
    'GET /api/v1/compliance/report-schedule': requirePaidPlan(readersInPerson),
    'PUT /api/v1/compliance/report-schedule': requirePaidPlan(managers),
    'GET /api/v1/compliance/mapping-notes': requirePaidPlan(readers),
    'PUT /api/v1/compliance/mapping-notes': requirePaidPlan(managers),
  },
  examples: {
    'GET /api/v1/compliance/mapping': () => ({ query: { framework: 'nist-rmf' } }),
    'PATCH /api/v1/compliance/mapping': ({ mark }) => ({
      body: {
        framework: 'iso-42001',
        clauseId: '6.1',
        status: 'partial',
        evidence: `${mark} plan`,
      },
    }),
    'GET /api/v1/compliance/proofs': () => ({ query: { framework: 'eu-ai-act' } }),
    'POST /api/v1/compliance/reports': () => ({ body: { framework: 'nist-rmf' } }),
    'GET /api/v1/compliance/reports': sendNothing,
    'GET /api/v1/compliance/reports/:id/pdf': selectReport,
    'GET /api/v1/compliance/report-schedule': sendNothing,
    'PUT /api/v1/compliance/report-schedule': () => ({
      body: { framework: 'eu-ai-act', every: 'never', recipients: [] },
    }),
    'GET /api/v1/compliance/mapping-notes': sendNothing,
    'PUT /api/v1/compliance/mapping-notes': ({ mark }) => ({ body: { '6.2': `${mark} goals` } }),
  },
};
