// Address of the groups of held and blocked decisions.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readChoice } from '../../app/search.ts';
import { createGroupsQuery, GROUP_KINDS } from './group-queries.ts';

const readKind = readChoice(GROUP_KINDS);

export const groupsRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/groups',
  validateSearch: createSearch({ kind: readKind }),
  staticData: {
    begin: (queries, { kind }) => queries.prefetchQuery(createGroupsQuery(readKind(kind))),
  },
  component: lazyRouteComponent(() => import('./groups-page.tsx'), 'GroupsPage'),
});
