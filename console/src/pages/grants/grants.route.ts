// Addresses of the standing grants: all, or those of one agent; and one of them.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readText } from '../../app/search.ts';

const grantsRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/grants',
  validateSearch: createSearch({ agent: readText }),
  component: lazyRouteComponent(() => import('./grants-page.tsx'), 'GrantsPage'),
});
const grantRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/grants/$grantId',
  component: lazyRouteComponent(() => import('./grant-page.tsx'), 'GrantPage'),
});

export const grantRoutes = [grantsRoute, grantRoute] as const;
