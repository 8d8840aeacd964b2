// Address of the overview: a period up to now, or one between two days.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readChoice } from '../../app/search.ts';
import { createFlowQuery, createOverviewQuery } from './overview-queries.ts';
import { PERIODS, readDay } from './period.ts';

const readPeriod = readChoice(PERIODS);

export const overviewRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/overview',
  validateSearch: createSearch({ period: readPeriod, from: readDay, to: readDay }),
  staticData: {
    async begin(queries, { period, from, to }) {
      const search = { period: readPeriod(period), from: readDay(from), to: readDay(to) };
      await Promise.all([
        queries.prefetchQuery(createOverviewQuery(search)),
        queries.prefetchQuery(createFlowQuery(search)),
      ]);
    },
  },
  component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
});
