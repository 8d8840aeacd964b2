// Address of the first steps.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';

export const startRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/start',
  component: lazyRouteComponent(() => import('./start-page.tsx'), 'StartPage'),
});
