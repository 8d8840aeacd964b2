// Single sign-on of organisations: its start, the callback of OpenID Connect, and the second step.
import { reply, route } from '../../../http/declaration/define-route.ts';
import { redirectAfterLogin } from '../../../http/declaration/sign-in.ts';
import {
  callbackQuery,
  initiatedView,
  initiateInput,
  locationView,
  ofOrganization,
  secondStepView,
} from './sign-on.schemas.ts';

const open = { auth: 'public', limits: ['auth'] } as const;

export const signOnRoutes = [
  route({
    method: 'post',
    path: '/sso/initiate',
    summary: 'Begin the sign-on of the organisation that an e-mail address belongs to',
    ...open,
    limits: ['auth', 'account'],
    writes: 'own',
    body: initiateInput,
    data: initiatedView,
    codes: ['NOT_FOUND', 'UPGRADE_REQUIRED', 'IDENTITY_PROVIDER_UNAVAILABLE'],
    audit: { action: 'auth.sso.initiate', resource: 'session' },
    async handler({ body, meta }, { signOn }) {
      const { organizationId, cookies, ...data } = await signOn.homeRealm.initiate(body, meta);
      const metadata = { provider: data.provider, email: body.email };
      return reply(200, data, { cookies, audit: { organizationId, metadata } });
    },
  }),
  route({
    method: 'get',
    path: '/sso/callback',
    summary: 'Where the OpenID provider of an organisation sends the browser back',
    ...open,
    kind: 'redirect',
    status: 302,
    writes: 'own',
    query: callbackQuery,
    data: locationView,
    audit: { action: 'auth.login', resource: 'session' },
    handler: async ({ query, meta }, { signOn }) =>
      redirectAfterLogin(await signOn.oidc.finish({ query, cookie: meta.cookie, origin: meta })),
  }),
  route({
    method: 'get',
    path: '/sso/callback/:orgId',
    summary: 'Where the OpenID provider of one organisation sends the browser back',
    ...open,
    kind: 'redirect',
    status: 302,
    writes: 'own',
    params: ofOrganization,
    query: callbackQuery,
    data: locationView,
    audit: { action: 'auth.login', resource: 'session' },
    handler: async ({ params, query, meta }, { signOn }) =>
      redirectAfterLogin(
        await signOn.oidc.finish({
          query,
          organizationId: params.orgId,
          cookie: meta.cookie,
          origin: meta,
        }),
      ),
  }),
  route({
    method: 'get',
    path: '/sso/mfa-exchange',
    summary: 'The temp token of a sign-on that lacks its second factor, once',
    ...open,
    data: secondStepView,
    codes: ['NO_TOKEN', 'TOKEN_VERIFICATION_FAILED', 'TOKEN_EXPIRED', 'TOKEN_REVOKED'],
    async handler({ meta }, { signOn }) {
      const { data, parts } = await signOn.cookieExchange.secondStep(meta.cookie);
      return reply(200, data, parts);
    },
  }),
];
