// The audit log.
import type { Tenant } from '../tenant.ts';
import { managers, refuseAbsent, requirePaidPlan } from './access.ts';
import { sendNothing, page, type ResourceExamples } from './example.ts';

const createFilters = ({ owner, agentId, workspaceId }: Tenant) => ({
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
    'GET /api/v1/audit': requirePaidPlan(managers),
    'GET /api/v1/audit/bundle': requirePaidPlan(managers),
    'GET /api/v1/audit/anchors': requirePaidPlan(managers),
    'GET /api/v1/audit/heads': requirePaidPlan(refuseAbsent(managers)),
    'GET /api/v1/audit/anchors/:anchorId/tlog-proof': requirePaidPlan(refuseAbsent(managers)),
    'GET /api/v1/audit/export': requirePaidPlan(managers),
    'GET /api/v1/audit/export/pdf': requirePaidPlan(managers),
    'GET /api/v1/audit/verify': requirePaidPlan(managers),
  },
  examples: {
    'GET /api/v1/audit': (tenant) => ({ query: { ...page, ...createFilters(tenant) } }),
    'GET /api/v1/audit/bundle': () => ({ query: { fromSequence: '1', toSequence: '1' } }),
    'GET /api/v1/audit/anchors': sendNothing,
    'GET /api/v1/audit/heads': sendNothing,
    'GET /api/v1/audit/anchors/:anchorId/tlog-proof': ({ traceId }) => ({
      params: { anchorId: traceId },
      query: { sequence: '1' },
    }),
    'GET /api/v1/audit/export': (tenant) => ({ query: createFilters(tenant) }),
    'GET /api/v1/audit/export/pdf': (tenant) => ({ query: createFilters(tenant) }),
    'GET /api/v1/audit/verify': sendNothing,
  },
  refused: {
    'GET /api/v1/audit/heads': 404,
    'GET /api/v1/audit/anchors/:anchorId/tlog-proof': 404,
  },
};
