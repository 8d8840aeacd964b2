// Address of one decision, by its `traceId`.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';

export const decisionRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/decisions/$traceId',
  component: lazyRouteComponent(() => import('./decision-page.tsx'), 'DecisionPage'),
});
