// Routes of single sign-on: start, callback of OpenID Connect, logout, and the second step.
import { ROLES } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { ACCOUNT, AUTH, SIGN_ON } from '../../../http/declaration/rate-limits.ts';
import { redirectAfterLogin } from '../../../http/declaration/sign-in.ts';
import {
  callbackQuery,
  initiatedView,
  initiateInput,
  locationView,
  loggedOutView,
  logoutInput,
  backQuery,
  logoutTokenForm,
  ofOrganization,
  logoutAcceptedView,
  secondStepView,
} from './sign-on.schemas.ts';
import { beginSignOn } from './home-realm.service.ts';
import { redeemSecondStepCookie } from './cookie-exchange.service.ts';
import { finishOidcLogin } from '../oidc/oidc.service.ts';
import {
  findSessionProvider,
  beginOidcLogout,
  finishOidcLogout,
  acceptLogoutToken,
} from '../oidc/oidc-logout.service.ts';
import { beginSamlLogout } from '../saml/saml-logout.service.ts';

const open = { auth: 'public', limits: SIGN_ON } as const;
const logout = { action: 'auth.logout', resource: 'session' };

export const signOnRoutes = [
  route({
    method: 'post',
    path: '/sso/initiate',
    summary: 'Begin the sign-on of the organisation that an e-mail address belongs to',
    ...open,
    limits: [...SIGN_ON, ...ACCOUNT],
    writes: 'own',
    body: initiateInput,
    data: initiatedView,
    codes: ['NOT_FOUND', 'UPGRADE_REQUIRED', 'IDENTITY_PROVIDER_UNAVAILABLE'],
    audit: { action: 'auth.sso.initiate', resource: 'session' },
    async handler({ ctx, body, meta }) {
      const { organizationId, isNoted, cookies, ...data } = await beginSignOn(
        ctx.platform,
        body,
        meta,
      );
      const metadata = { provider: data.provider, email: body.email };
      return reply(200, data, { cookies, audit: isNoted ? { organizationId, metadata } : [] });
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
    openQuery: true,
    data: locationView,
    audit: { action: 'auth.login', resource: 'session' },
    handler: async ({ ctx, query, meta }) =>
      redirectAfterLogin(
        await finishOidcLogin(ctx.platform, { query, cookie: meta.cookie, origin: meta }),
      ),
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
    openQuery: true,
    data: locationView,
    audit: { action: 'auth.login', resource: 'session' },
    handler: async ({ ctx, params, query, meta }) =>
      redirectAfterLogin(
        await finishOidcLogin(ctx.platform, {
          query,
          organizationId: params.orgId,
          cookie: meta.cookie,
          origin: meta,
        }),
      ),
  }),
  route({
    method: 'post',
    path: '/sso/logout/initiate',
    summary:
      'End the session of the token presented and whatever its sign-on opened, and begin the logout at its provider',
    auth: 'user',
    whileDeactivated: true,
    limits: [AUTH],
    roles: ROLES,
    body: logoutInput,
    data: loggedOutView,
    audit: logout,
    prepare: ({ ctx }) => findSessionProvider(ctx),
    handler: async ({ ctx, body: { returnTo }, prepared: at }) => {
      const { cookies, ...made } = at
        ? await beginOidcLogout(ctx, at, returnTo)
        : await beginSamlLogout(ctx, returnTo);
      return reply(200, made, { cookies, audit: { metadata: { method: 'sso' } } });
    },
  }),
  route({
    method: 'get',
    path: '/sso/logout/callback',
    summary: 'Where an OpenID provider sends the browser back after a logout',
    ...open,
    kind: 'redirect',
    status: 302,
    writes: 'own',
    query: backQuery,
    openQuery: true,
    data: locationView,
    async handler({ ctx, query, meta }) {
      const { location, cookies } = await finishOidcLogout(ctx.platform, query.state ?? '', meta);
      return reply(302, location, { cookies });
    },
  }),
  route({
    method: 'post',
    path: '/sso/backchannel-logout/:orgId',
    summary: 'Take a logout token of the OpenID provider of an organisation: its sessions end',
    ...open,
    writes: 'own',
    params: ofOrganization,
    bodyType: 'form',
    body: logoutTokenForm,
    data: logoutAcceptedView,
    codes: ['INVALID_TOKEN', 'UPGRADE_REQUIRED', 'IDENTITY_PROVIDER_UNAVAILABLE'],
    audit: logout,
    async handler({ ctx, params, body, meta }) {
      const entry = await acceptLogoutToken(
        ctx.platform,
        { organizationId: params.orgId, token: body.logout_token },
        meta,
      );
      return reply(200, { accepted: true }, { audit: entry });
    },
  }),
  route({
    method: 'get',
    path: '/sso/mfa-exchange',
    summary: 'The temp token of a sign-on that lacks its second factor, once',
    ...open,
    data: secondStepView,
    codes: [
      'NO_TOKEN',
      'TOKEN_VERIFICATION_FAILED',
      'TOKEN_EXPIRED',
      'TOKEN_REVOKED',
      'INVALID_OPERATION',
    ],
    async handler({ ctx, meta }) {
      const { data, parts } = await redeemSecondStepCookie(ctx.platform, meta.cookie);
      return reply(200, data, parts);
    },
  }),
];
