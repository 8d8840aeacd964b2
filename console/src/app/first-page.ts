// Begins what the page of the address needs at once: its code and its data do not wait for the session.
import type { QueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../session/session.ts';
import { queryClient } from './queries.ts';
import { router } from './router.tsx';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Asks for what the page shows first. Without a session the answer is not used. */
    begin?: (
      queries: QueryClient,
      search: Record<string, unknown>,
      params: Record<string, string | undefined>,
    ) => Promise<void>;
  }
}

export function beginFirstPage(): void {
  const matches = router.matchRoutes(router.latestLocation);
  if (matches.some(({ routeId }) => routeId === '/session'))
    void queryClient.prefetchQuery(sessionQuery);
  for (const { routeId, staticData, search, params } of matches) {
    void router.loadRouteChunk(router.routesById[routeId as keyof typeof router.routesById]);
    void staticData.begin?.(queryClient, search, params);
  }
}
