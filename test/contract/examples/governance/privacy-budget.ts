// The privacy budget and the queries that spend it.
import { managers, requirePaidPlan, readers, writers } from '../access.ts';
import { sendNothing, type ResourceExamples } from '../example.ts';

export const privacyBudget: ResourceExamples = {
  access: {
    'GET /api/v1/privacy-budget': requirePaidPlan(readers),
    'PATCH /api/v1/privacy-budget/caps': requirePaidPlan(managers),
    'POST /api/v1/privacy-budget/query': requirePaidPlan(writers),
  },
  examples: {
    'GET /api/v1/privacy-budget': sendNothing,
    'PATCH /api/v1/privacy-budget/caps': () => ({
      body: { epsilonCap: 100_000, deltaCap: 1, windowDurationMs: 86_400_000, paused: false },
    }),
    'POST /api/v1/privacy-budget/query': () => ({
      body: {
        metric: 'count',
        groupBy: 'status',
        epsilon: 0.01,
        delta: 1e-9,
        mechanism: 'gaussian',
        purpose: 'weekly-report',
      },
    }),
  },
};
