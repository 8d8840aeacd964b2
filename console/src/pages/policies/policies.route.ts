// Addresses of the policies: the list, one policy with its parts, changes that wait for approval, and named lists.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readChoice, readText } from '../../app/search.ts';

export const POLICY_PARTS = ['rule', 'effect', 'try', 'replay', 'canary', 'versions'] as const;
export type PolicyPart = (typeof POLICY_PARTS)[number];
export const APPROVAL_STATES = [
  'draft',
  'pending_review',
  'approved_pending_enforcement',
  'broken_glass',
  'promoted',
  'rejected',
  'withdrawn',
] as const;

const below = { getParentRoute: () => sessionRoute } as const;

export const policiesRoute = createRoute({
  ...below,
  path: '/policies',
  component: lazyRouteComponent(() => import('./list/policies-page.tsx'), 'PoliciesPage'),
});

export const listsRoute = createRoute({
  ...below,
  path: '/policies/lists',
  validateSearch: createSearch({ list: readText }),
  component: lazyRouteComponent(() => import('./lists/lists-page.tsx'), 'ListsPage'),
});

/** `new` stands for a policy that is not saved yet. */
export const policyRoute = createRoute({
  ...below,
  path: '/policies/$policyId',
  validateSearch: createSearch({
    part: readChoice(POLICY_PARTS),
    template: readText,
    replay: readText,
    start: readChoice(['limit']),
    tool: readText,
  }),
  component: lazyRouteComponent(() => import('./policy-page.tsx'), 'PolicyPage'),
});

export const approvalsRoute = createRoute({
  ...below,
  path: '/policies/approvals',
  validateSearch: createSearch({ state: readChoice(APPROVAL_STATES) }),
  component: lazyRouteComponent(() => import('./approvals/approvals-page.tsx'), 'ApprovalsPage'),
});

export const approvalRoute = createRoute({
  ...below,
  path: '/policies/approvals/$approvalId',
  component: lazyRouteComponent(() => import('./approvals/approval-page.tsx'), 'ApprovalPage'),
});

export const policyRoutes = [
  policiesRoute,
  approvalsRoute,
  approvalRoute,
  listsRoute,
  policyRoute,
] as const;
