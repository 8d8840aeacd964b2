// Leads to the page that verifies offline, which is a file of its own outside the console's frame and policy.
import { createRoute, redirect } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-routes.tsx';

export const verifyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/verify',
  beforeLoad() {
    throw redirect({ href: '/verify', reloadDocument: true });
  },
});
