// The audit log.
import type { Tenant } from '../tenant.ts';
import { managers, paid } from './access.ts';
import { nothing, page, type ResourceExamples } from './example.ts';

const filters = ({ owner, agentId, workspaceId }: Tenant) => ({
  action: 'agent.create',
  userId: owner.userId,
  resource: 'agent',
  resourceId: agentId,
  workspaceId,
  status: 'success',
  dateFrom: '2025-01-01',
  dateTo: '2045-01-01',
  search: 'a',
});

export const audit: ResourceExamples = {
  access: {
    'GET /api/v1/audit': paid(managers),
    'GET /api/v1/audit/export': paid(managers),
    'GET /api/v1/audit/export/pdf': paid(managers),
    'GET /api/v1/audit/verify': paid(managers),
  },
  examples: {
    'GET /api/v1/audit': (tenant) => ({ query: { ...page, ...filters(tenant) } }),
    'GET /api/v1/audit/export': (tenant) => ({ query: filters(tenant) }),
    'GET /api/v1/audit/export/pdf': (tenant) => ({ query: filters(tenant) }),
    'GET /api/v1/audit/verify': nothing,
  },
};
