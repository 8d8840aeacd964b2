// Address of the review queue, with the chosen item, which links in mails and messages lead to.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readChoice } from '../../app/search.ts';

export const reviewRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/review/{-$traceId}',
  validateSearch: createSearch({
    status: readChoice(['pending', 'approved', 'rejected', 'expired', 'withdrawn']),
    mine: readChoice(['1']),
  }),
  component: lazyRouteComponent(() => import('./review-page.tsx'), 'ReviewPage'),
});
