// How the canary of a policy fares.
import { denyForeigner, readers } from '../access.ts';
import type { ResourceExamples } from '../example.ts';

export const policyCanary: ResourceExamples = {
  access: { 'GET /api/v1/policies/:id/canary-status': denyForeigner(readers) },
  examples: {
    'GET /api/v1/policies/:id/canary-status': ({ policyId }) => ({ params: { id: policyId } }),
  },
};
