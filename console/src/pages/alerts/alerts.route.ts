// Address of the alert rules.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';

export const alertsRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/alerts',
  component: lazyRouteComponent(() => import('./alerts-page.tsx'), 'AlertsPage'),
});
