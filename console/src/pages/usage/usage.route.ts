// Address of what was used and what is paid.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';

export const usageRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/usage',
  component: lazyRouteComponent(() => import('./usage-page.tsx'), 'UsagePage'),
});
