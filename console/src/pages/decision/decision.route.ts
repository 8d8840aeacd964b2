// Address of one decision, by its `traceId`.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { createDecisionQuery } from '../../api/shared-queries.ts';
import { sessionRoute } from '../../app/root-routes.tsx';

export const decisionRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/decisions/$traceId',
  staticData: {
    begin: (queries, _search, { traceId = '' }) =>
      queries.prefetchQuery(createDecisionQuery(traceId)),
  },
  component: lazyRouteComponent(() => import('./decision-page.tsx'), 'DecisionPage'),
});
