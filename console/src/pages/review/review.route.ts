// Address of the review queue, with the chosen item, which links in mails and messages lead to.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readChoice, readText } from '../../app/search.ts';
import { createReviewQuery } from './review-queries.ts';

const STATUSES = ['pending', 'approved', 'rejected', 'expired', 'withdrawn'] as const;
const readStatus = readChoice(STATUSES);
const readSwitch = readChoice(['1']);

export const reviewRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/review/{-$traceId}',
  validateSearch: createSearch({
    status: readStatus,
    mine: readSwitch,
    unclaimed: readSwitch,
    left: readSwitch,
    group: readText,
  }),
  staticData: {
    begin: (queries, { status, mine, unclaimed, left, group }) =>
      queries.prefetchInfiniteQuery(
        createReviewQuery({
          status: readStatus(status),
          mine: readSwitch(mine),
          unclaimed: readSwitch(unclaimed),
          left: readSwitch(left),
          group: readText(group),
        }),
      ),
  },
  component: lazyRouteComponent(() => import('./review-page.tsx'), 'ReviewPage'),
});
