// Addresses of the incidents; filters are in the address.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionRoute } from '../../app/root-routes.tsx';
import { createSearch, readChoice, readText } from '../../app/search.ts';
import { REGULATORS, SEVERITIES, STATUSES } from './incident-texts.ts';

const incidentsRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/incidents',
  validateSearch: createSearch({
    status: readChoice(STATUSES),
    severity: readChoice(SEVERITIES),
    regulator: readChoice(REGULATORS),
    q: readText,
    // The decision that a new incident is about.
    about: readText,
  }),
  component: lazyRouteComponent(() => import('./incidents-page.tsx'), 'IncidentsPage'),
});
const incidentRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/incidents/$incidentId',
  component: lazyRouteComponent(() => import('./incident-page.tsx'), 'IncidentPage'),
});

export const incidentRoutes = [incidentsRoute, incidentRoute] as const;
