// Address of the evidence: its part, the beginning that entries are searched by, and the filters of the audit log.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readChoice, readInteger, readText } from '../../app/search.ts';

export const PARTS = ['chain', 'log', 'bundles', 'audit', 'erasures', 'manifests'] as const;
export const OUTCOMES = ['success', 'failure'] as const;
export type EvidencePart = (typeof PARTS)[number];

export const evidenceRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/evidence',
  validateSearch: createSearch({
    part: readChoice(PARTS),
    search: readText,
    action: readText,
    member: readText,
    outcome: readChoice(OUTCOMES),
    words: readText,
    from: readText,
    to: readText,
    before: readInteger,
    // The decision that is to be erased.
    about: readText,
  }),
  component: lazyRouteComponent(() => import('./evidence-page.tsx'), 'EvidencePage'),
});
