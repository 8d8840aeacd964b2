// Addresses of the halts.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';

const haltsRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/halts',
  component: lazyRouteComponent(() => import('./halts-page.tsx'), 'HaltsPage'),
});
const haltRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/halts/$haltId',
  component: lazyRouteComponent(() => import('./halt-page.tsx'), 'HaltPage'),
});

export const haltRoutes = [haltsRoute, haltRoute] as const;
