// Addresses of the agents.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';

const agentsRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/agents',
  component: lazyRouteComponent(() => import('./agents-page.tsx'), 'AgentsPage'),
});
const agentRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/agents/$agentId',
  component: lazyRouteComponent(() => import('./agent-page.tsx'), 'AgentPage'),
});

export const agentRoutes = [agentsRoute, agentRoute] as const;
