// Routes of trials: a sign-on with settings that are not saved, which signs no one in.
import { reply, route } from '../../../http/declaration/define-route.ts';
import { OWN_ACCOUNT } from '../../../http/declaration/rate-limits.ts';
import { byId } from '../../../http/declaration/views.ts';
import { startedTrialView, trialInput, trialView } from './sso-trials.schemas.ts';
import { showTrial } from './trials.service.ts';
import { beginTrial } from './trial-starts.service.ts';

/** Restricted to owners, as the settings are. */
const own = { auth: 'user', roles: ['owner'], plan: 'sso' } as const;

export const trialRoutes = [
  route({
    method: 'post',
    path: '/sso/test',
    summary: 'Begin a sign-on that only shows what the provider sends; no settings are saved',
    ...own,
    verified: true,
    limits: [OWN_ACCOUNT],
    writes: 'own',
    body: trialInput,
    data: startedTrialView,
    codes: ['SSRF_BLOCKED', 'IDENTITY_PROVIDER_UNAVAILABLE'],
    audit: { action: 'organization.sso.test', resource: 'organization' },
    async handler({ ctx, tenant, body }) {
      const { trial, cookies, ...begun } = await beginTrial(ctx, body);
      const { _id: id, provider, expiresAt } = trial;
      const audit = { resourceId: tenant.organizationId, metadata: { provider } };
      return reply(200, { id, provider, expiresAt, ...begun }, { cookies, audit });
    },
  }),
  route({
    method: 'get',
    path: '/sso/test/:id',
    summary: 'What the provider sent in a test of the sign-on, and how the sign-on would end',
    ...own,
    params: byId,
    data: trialView,
    codes: ['NOT_FOUND'],
    handler: ({ ctx, params }) => showTrial(ctx, params.id),
  }),
];
