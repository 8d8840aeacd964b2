// Address of the tools: all that are listed, or those with a part of a name.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readText } from '../../app/search.ts';

export const toolsRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/tools',
  validateSearch: createSearch({ name: readText }),
  component: lazyRouteComponent(() => import('./tools-page.tsx'), 'ToolsPage'),
});
