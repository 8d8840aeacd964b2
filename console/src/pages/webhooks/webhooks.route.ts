// Addresses of the webhooks.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readChoice } from '../../app/search.ts';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

const webhooksRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./webhooks-page.tsx'), 'WebhooksPage'),
});
const webhookRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/webhooks/$webhookId',
  validateSearch: createSearch({ status: readChoice(DELIVERY_STATUSES) }),
  component: lazyRouteComponent(() => import('./webhook-page.tsx'), 'WebhookPage'),
});

export const webhookRoutes = [webhooksRoute, webhookRoute] as const;
