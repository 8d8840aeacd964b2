// Address of the budgets: all limits, or those of one policy; now, or as of a time.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readInstant, readText } from '../../app/search.ts';

export const budgetsRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/budgets',
  validateSearch: createSearch({ policy: readText, at: readInstant }),
  component: lazyRouteComponent(() => import('./budgets-page.tsx'), 'BudgetsPage'),
});
