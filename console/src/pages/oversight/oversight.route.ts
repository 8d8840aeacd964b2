// Address of the page on people and automation; what is asked of a pattern stands in it.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readInteger } from '../../app/search.ts';

export const oversightRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/oversight',
  validateSearch: createSearch({ approvals: readInteger, days: readInteger }),
  component: lazyRouteComponent(() => import('./oversight-page.tsx'), 'OversightPage'),
});
