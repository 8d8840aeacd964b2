// The monthly meter of decisions (document 3, section 4.9).
import { route } from '../../http/declaration/define-route.ts';
import { usageHistoryView, usageView } from './usage.schemas.ts';
import { loadUsage, loadUsageHistory } from './usage.service.ts';

const read = { method: 'get', auth: 'reader', agentScope: 'irrelevant' } as const;

export const usageRoutes = [
  route({
    ...read,
    path: '/current',
    summary: 'Counters of the month against the plan',
    data: usageView,
    codes: ['NOT_FOUND'],
    handler: ({ ctx }) => loadUsage(ctx),
  }),
  route({
    ...read,
    path: '/history',
    summary: 'Decisions of the last twelve months',
    data: usageHistoryView,
    handler: ({ ctx }) => loadUsageHistory(ctx),
  }),
];
