// Addresses of compliance: clauses, impact assessments, and the privacy budget.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readChoice } from '../../app/search.ts';
import { STEPS } from './assessment/assessment-steps.ts';

export const FRAMEWORKS = ['iso-42001', 'eu-ai-act', 'nist-rmf'] as const;
export const CLAUSE_STATUSES = ['covered', 'partial', 'gap', 'not-applicable'] as const;

const clausesRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/compliance',
  validateSearch: createSearch({
    framework: readChoice(FRAMEWORKS),
    status: readChoice(CLAUSE_STATUSES),
  }),
  component: lazyRouteComponent(() => import('./clauses-page.tsx'), 'ClausesPage'),
});
const assessmentsRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/compliance/assessments',
  component: lazyRouteComponent(
    () => import('./assessment/assessments-page.tsx'),
    'AssessmentsPage',
  ),
});
const assessmentRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/compliance/assessments/$assessmentId',
  validateSearch: createSearch({ step: readChoice(STEPS) }),
  component: lazyRouteComponent(() => import('./assessment/assessment-page.tsx'), 'AssessmentPage'),
});
const privacyRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/compliance/privacy',
  component: lazyRouteComponent(() => import('./privacy-page.tsx'), 'PrivacyPage'),
});

export const complianceRoutes = [
  clausesRoute,
  assessmentsRoute,
  assessmentRoute,
  privacyRoute,
] as const;
