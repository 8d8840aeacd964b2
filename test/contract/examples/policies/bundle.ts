// The portable bundle of policies.
import { managers } from '../access.ts';
import { sendNothing, type ResourceExamples } from '../example.ts';

export const policyBundle: ResourceExamples = {
  access: {
    'POST /api/v1/policies/export-bundle': managers,
    'GET /api/v1/policies/export-bundle': managers,
  },
  examples: {
    'POST /api/v1/policies/export-bundle': sendNothing,
    'GET /api/v1/policies/export-bundle': () => ({ query: { download: '1' } }),
  },
};
