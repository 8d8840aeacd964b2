// Address of the review queue, with the chosen item, which links in mails and messages lead to.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readChoice } from '../../app/search.ts';
import { createReviewQuery } from './review-queries.ts';

const STATUSES = ['pending', 'approved', 'rejected', 'expired', 'withdrawn'] as const;
const readStatus = readChoice(STATUSES);

export const reviewRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/review/{-$traceId}',
  validateSearch: createSearch({
    status: readStatus,
    mine: readChoice(['1']),
  }),
  staticData: {
    begin: (queries, { status }) =>
      queries.prefetchQuery(createReviewQuery(readStatus(status) ?? 'pending')),
  },
  component: lazyRouteComponent(() => import('./review-page.tsx'), 'ReviewPage'),
});
