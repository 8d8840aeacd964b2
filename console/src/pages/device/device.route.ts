// Address where a person approves the sign-in of a device that has no browser.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readText } from '../../app/search.ts';

export const deviceRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/device',
  validateSearch: createSearch({ user_code: readText }),
  component: lazyRouteComponent(() => import('./device-page.tsx'), 'DevicePage'),
});
