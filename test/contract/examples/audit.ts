// The audit log.
import { managers, paid } from './access.ts';
import { nothing, page, type ResourceExamples } from './example.ts';

export const audit: ResourceExamples = {
  access: {
    'GET /api/v1/audit': paid(managers),
    'GET /api/v1/audit/verify': paid(managers),
  },
  examples: {
    'GET /api/v1/audit': ({ owner, agentId, workspaceId }) => ({
      query: {
        ...page,
        action: 'agent.create',
        userId: owner.userId,
        resource: 'agent',
        resourceId: agentId,
        workspaceId,
        status: 'success',
        dateFrom: '2025-01-01',
        dateTo: '2045-01-01',
        search: 'a',
      },
    }),
    'GET /api/v1/audit/verify': nothing,
  },
};
