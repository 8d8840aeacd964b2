// Address of the live decisions: every filter is in it.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readChoice, readText } from '../../app/search.ts';

export const STATUSES = ['approved', 'flagged', 'blocked'] as const;

export const liveRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/live',
  validateSearch: createSearch({
    status: readChoice(STATUSES),
    agent: readText,
    session: readText,
    policy: readText,
    q: readText,
    from: readText,
    to: readText,
  }),
  component: lazyRouteComponent(() => import('./live-page.tsx'), 'LivePage'),
});
