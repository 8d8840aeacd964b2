// Address of the live decisions: `q` holds the search line, and links name single fields of it.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readText } from '../../app/search.ts';

export const liveRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/live',
  validateSearch: createSearch({
    q: readText,
    status: readText,
    agent: readText,
    session: readText,
    policy: readText,
    tool: readText,
    from: readText,
    to: readText,
  }),
  staticData: {
    /** A search is translated first, which the page does. */
    async begin(queries, search) {
      if (Object.values(search).some((field) => field !== undefined)) return;
      const { createLiveQuery } = await import('./live-query.ts');
      await queries.prefetchInfiniteQuery(createLiveQuery({}));
    },
  },
  component: lazyRouteComponent(() => import('./live-page.tsx'), 'LivePage'),
});
