// Addresses of the settings: one page a subject.
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';

const inSession = { getParentRoute: () => sessionRoute } as const;

const settingsRoute = createRoute({
  ...inSession,
  path: '/settings',
  beforeLoad() {
    throw redirect({ to: '/settings/profile', replace: true });
  },
});
const profileRoute = createRoute({
  ...inSession,
  path: '/settings/profile',
  component: lazyRouteComponent(() => import('./profile-page.tsx'), 'ProfilePage'),
});
const securityRoute = createRoute({
  ...inSession,
  path: '/settings/security',
  component: lazyRouteComponent(() => import('./security/security-page.tsx'), 'SecurityPage'),
});
const noticesRoute = createRoute({
  ...inSession,
  path: '/settings/notifications',
  component: lazyRouteComponent(() => import('./notices-page.tsx'), 'NoticesPage'),
});
const membersRoute = createRoute({
  ...inSession,
  path: '/settings/members',
  component: lazyRouteComponent(() => import('./members/members-page.tsx'), 'MembersPage'),
});
const workspacesRoute = createRoute({
  ...inSession,
  path: '/settings/workspaces',
  component: lazyRouteComponent(() => import('./workspaces/workspaces-page.tsx'), 'WorkspacesPage'),
});
const keysRoute = createRoute({
  ...inSession,
  path: '/settings/keys',
  component: lazyRouteComponent(() => import('./keys-page.tsx'), 'KeysPage'),
});
const signOnRoute = createRoute({
  ...inSession,
  path: '/settings/sign-on',
  component: lazyRouteComponent(() => import('./sign-on/sign-on-page.tsx'), 'SignOnPage'),
});
const organizationRoute = createRoute({
  ...inSession,
  path: '/settings/organization',
  component: lazyRouteComponent(() => import('./organization-page.tsx'), 'OrganizationPage'),
});

export const settingsRoutes = [
  settingsRoute,
  profileRoute,
  securityRoute,
  noticesRoute,
  membersRoute,
  workspacesRoute,
  keysRoute,
  signOnRoute,
  organizationRoute,
] as const;
