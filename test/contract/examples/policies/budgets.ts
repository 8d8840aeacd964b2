// Budgets: what is spent of the limits of policies.
import { readers } from '../access.ts';
import type { ResourceExamples } from '../example.ts';

export const budgets: ResourceExamples = {
  access: { 'GET /api/v1/budgets': readers },
  examples: {
    'GET /api/v1/budgets': ({ policyId }) => ({
      query: { policyId, at: '2026-01-31T09:00:00Z' },
    }),
  },
};
