// Address of the notices of the signed-in person.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';

export const notificationsRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/notifications',
  component: lazyRouteComponent(() => import('./notifications-page.tsx'), 'NotificationsPage'),
});
