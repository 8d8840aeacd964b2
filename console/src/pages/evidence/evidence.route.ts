// Address of the evidence: its part, and the beginning that entries are searched by.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readChoice, readText } from '../../app/search.ts';

export const PARTS = ['chain', 'log', 'bundles', 'erasures', 'manifests'] as const;
export type EvidencePart = (typeof PARTS)[number];

export const evidenceRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/evidence',
  validateSearch: createSearch({ part: readChoice(PARTS), search: readText }),
  component: lazyRouteComponent(() => import('./evidence-page.tsx'), 'EvidencePage'),
});
