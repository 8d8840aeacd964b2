// The console opens on the overview, or on the first steps while there are none.
import { createRoute, redirect } from '@tanstack/react-router';
import { api, readEnvelope } from '../api/client.ts';
import { sessionRoute } from '../app/root-routes.tsx';
import { sessionQuery } from '../session/session.ts';

export const homeRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/',
  async beforeLoad({ context }) {
    const { role } = await context.queries.ensureQueryData(sessionQuery);
    // Auditors read bundles, and no decisions.
    if (role === 'auditor') throw redirect({ to: '/evidence' });
    const query = { limit: 1 };
    const { data } = await readEnvelope(api.GET('/api/v1/traces', { params: { query } }));
    throw redirect({ to: data.length > 0 ? '/overview' : '/start' });
  },
});
