// What happened in a span of time, on one page.
import { reply, route } from '../../http/declaration/define-route.ts';
import { loadFlow } from './flow.service.ts';
import { flowView, overviewQuery, overviewView } from './overview.schemas.ts';
import { loadOverview } from './overview.service.ts';

const read = { method: 'get', auth: 'reader', heavy: true, query: overviewQuery } as const;

export const overviewRoutes = [
  route({
    ...read,
    path: '/',
    summary: 'Holds, blocks, waits, the queue and what acted most, against the span before',
    data: overviewView,
    handler: async ({ ctx, query }) => reply(200, await loadOverview(ctx, query)),
  }),
  route({
    ...read,
    path: '/flow',
    summary: 'From agents over policies, verdicts and people to outcomes',
    data: flowView,
    handler: async ({ ctx, query }) => reply(200, await loadFlow(ctx, query)),
  }),
];
