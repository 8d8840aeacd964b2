// Address of the review queue, with the chosen item, which links in mails and messages lead to.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readChoice } from '../../app/search.ts';
import { createReviewQuery } from './review-queries.ts';

const STATUSES = ['pending', 'approved', 'rejected', 'expired', 'withdrawn'] as const;
const readStatus = readChoice(STATUSES);
const readMine = readChoice(['1']);

export const reviewRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/review/{-$traceId}',
  validateSearch: createSearch({
    status: readStatus,
    mine: readMine,
  }),
  staticData: {
    begin: (queries, { status, mine }) =>
      queries.prefetchInfiniteQuery(
        createReviewQuery({ status: readStatus(status), mine: readMine(mine) }),
      ),
  },
  component: lazyRouteComponent(() => import('./review-page.tsx'), 'ReviewPage'),
});
