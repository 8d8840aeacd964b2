// The two frames that every page has one of: pages of a session inside the shell, and pages before it.
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.ts';
import { sessionQuery } from '../session/session.ts';
import { enterWorkspace } from '../session/workspace.ts';
import { Shell } from './frame/shell.tsx';
import { UnknownPage } from './unknown-page.tsx';

export const rootRoute = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Outlet,
  notFoundComponent: UnknownPage,
});

/** Parent of every page that needs a session; without one it leads to the sign-in page and back. */
export const sessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'session',
  component: Shell,
  async beforeLoad({ context, location }) {
    try {
      const { organization } = await context.queries.ensureQueryData(sessionQuery);
      enterWorkspace(organization._id);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      const next = location.pathname === '/' ? undefined : location.href;
      throw redirect({
        href: `/console/sign-in${next ? `?next=${encodeURIComponent(next)}` : ''}`,
      });
    }
  },
});
