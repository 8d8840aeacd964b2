// The router: every page is loaded when it is first visited, and its failures stay inside the frame.
import { createRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { Container } from '@mantine/core';
import type { ReactNode } from 'react';
import { Loading, Problem } from '../parts/states.tsx';
import { pageRoutes, openRoutes } from '../pages/routes.ts';
import { queryClient } from './queries.ts';
import { rootRoute, sessionRoute } from './root-routes.tsx';

function FailedPage({ error, reset }: ErrorComponentProps): ReactNode {
  // After an update the files of the page that is open are gone.
  const isOutdated = /dynamically imported module|module script failed/i.test(String(error));
  const retry = isOutdated
    ? () => location.reload()
    : () => {
        reset();
        void router.invalidate();
      };
  return (
    <Container py="md">
      <Problem
        error={isOutdated ? new Error('The console has been updated since you opened it') : error}
        onRetry={retry}
      />
    </Container>
  );
}

export const router = createRouter({
  routeTree: rootRoute.addChildren([sessionRoute.addChildren(pageRoutes), ...openRoutes]),
  basepath: '/console',
  context: { queries: queryClient },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultPendingComponent: Loading,
  defaultErrorComponent: FailedPage,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
