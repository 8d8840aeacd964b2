// Decisions counted over time.
import { loadSeries } from './series.service.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { seriesQuery, seriesView } from './series.schemas.ts';

export const seriesRoutes = [
  route({
    method: 'get',
    path: '/series',
    summary: 'Decisions counted by hour or day, and by the status that was answered',
    auth: 'reader',
    agentScope: 'filtered',
    codes: ['NOT_FOUND'],
    query: seriesQuery,
    data: seriesView,
    handler: async ({ ctx, query }) => reply(200, await loadSeries(ctx, query)),
  }),
];
