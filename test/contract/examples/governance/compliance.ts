// Compliance mapping: read by everybody, attested by managers.
import { managers, requirePaidPlan, readers } from '../access.ts';
import { sendNothing, type ResourceExamples } from '../example.ts';

export const compliance: ResourceExamples = {
  access: {
    'GET /api/v1/compliance/mapping': requirePaidPlan(readers),
    'PATCH /api/v1/compliance/mapping': requirePaidPlan(managers),
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
    'GET /api/v1/compliance/mapping-notes': sendNothing,
    'PUT /api/v1/compliance/mapping-notes': ({ mark }) => ({ body: { '6.2': `${mark} goals` } }),
  },
};
