// Addresses of sessions: the filters of the list, and the step that a link points to, stand in them.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readChoice, readInteger, readText } from '../../app/search.ts';

export const SESSION_STATES = ['held', 'blocked', 'halted'] as const;

const sessionsRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/sessions',
  validateSearch: createSearch({
    agent: readText,
    session: readText,
    label: readText,
    status: readChoice(SESSION_STATES),
    from: readText,
    to: readText,
  }),
  component: lazyRouteComponent(() => import('./sessions-page.tsx'), 'SessionsPage'),
});
const oneRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/sessions/$traceId',
  validateSearch: createSearch({ step: readInteger }),
  component: lazyRouteComponent(() => import('./session-page.tsx'), 'SessionPage'),
});

export const agentSessionRoutes = [sessionsRoute, oneRoute] as const;
