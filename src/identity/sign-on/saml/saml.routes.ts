// Routes of SAML 2.0: start, response, metadata, and single logout in both directions (document 1, section 4.1).
import { z } from 'zod';
import { ROLES } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { AUTH, SIGN_ON } from '../../../http/declaration/rate-limits.ts';
import { redirectAfterLogin } from '../../../http/declaration/sign-in.ts';
import {
  initiatedView,
  loggedOutView,
  logoutInput,
  ofOrganization,
} from '../login/sign-on.schemas.ts';
import {
  logoutAddress,
  logoutForm,
  logoutQuery,
  responseForm,
  samlInitiateInput,
} from './saml.schemas.ts';
import { beginSignOn } from '../login/home-realm.service.ts';
import { beginSamlLogout, finishSamlLogout } from './saml-logout.service.ts';
import { finishSamlLogin, renderSamlMetadata } from './saml.service.ts';

const open = { auth: 'public', limits: SIGN_ON } as const;
const toAudit = (action: string) => ({ action, resource: 'session' });
/** Limit of the body, as described. */
const RESPONSE_BYTES = 5 * 1024 * 1024;
/** The browser navigates here, so a refusal is a redirect with the code in the query. */
const redirecting = {
  ...open,
  kind: 'redirect',
  status: 302,
  writes: 'own',
  data: z.string(),
} as const;
const logoutRedirecting = { ...redirecting, audit: toAudit('auth.logout') } as const;

export const samlRoutes = [
  route({
    method: 'post',
    path: '/initiate',
    summary: 'Begin a sign-on at the SAML identity provider of an organisation',
    ...open,
    writes: 'own',
    body: samlInitiateInput,
    data: initiatedView,
    codes: ['NOT_FOUND', 'UPGRADE_REQUIRED'],
    audit: toAudit('auth.sso.initiate'),
    async handler({ ctx, body, meta }) {
      const query = { ...body, protocol: 'saml' } as const;
      const { organizationId, isNoted, cookies, ...data } = await beginSignOn(
        ctx.platform,
        query,
        meta,
      );
      const metadata = { provider: data.provider };
      return reply(200, data, { cookies, audit: isNoted ? { organizationId, metadata } : [] });
    },
  }),
  route({
    method: 'post',
    path: '/callback',
    summary: 'Complete a sign-on with the response of the SAML identity provider',
    ...redirecting,
    bodyType: 'form',
    bodyLimit: RESPONSE_BYTES,
    body: responseForm,
    audit: toAudit('auth.login'),
    handler: async ({ ctx, body, meta }) =>
      redirectAfterLogin(await finishSamlLogin(ctx.platform, body, meta)),
  }),
  route({
    method: 'get',
    path: '/metadata/:orgId',
    openQuery: true,
    summary: 'Service-provider metadata for the SAML identity provider of an organisation',
    ...open,
    kind: 'file',
    mediaType: 'application/samlmetadata+xml',
    params: ofOrganization,
    data: z.unknown(),
    codes: ['ORG_NOT_FOUND'],
    handler: async ({ ctx, params }) =>
      reply(200, {
        type: 'application/samlmetadata+xml; charset=utf-8',
        filename: null,
        body: await renderSamlMetadata(ctx.platform, params.orgId),
      }),
  }),
  route({
    method: 'post',
    path: '/logout/initiate',
    summary:
      'End the session of the token presented, and begin the logout at its SAML identity provider',
    auth: 'user',
    whileDeactivated: true,
    limits: [AUTH],
    roles: ROLES,
    body: logoutInput,
    data: loggedOutView,
    audit: toAudit('auth.logout'),
    handler: async ({ ctx, body }) => {
      const { cookies, ...made } = await beginSamlLogout(ctx, body.returnTo);
      return reply(200, made, { cookies, audit: { metadata: { method: 'saml' } } });
    },
  }),
  route({
    method: 'post',
    path: '/logout/callback',
    summary:
      'Take a signed logout message of the SAML identity provider of an organisation from a form',
    ...logoutRedirecting,
    bodyType: 'form',
    query: logoutQuery,
    openQuery: true,
    body: logoutForm,
    handler: async ({ ctx, query, body, meta }) => {
      const { location, ...parts } = await finishSamlLogout(ctx.platform, query.org, {
        delivery: { form: body },
        origin: meta,
      });
      return reply(302, location, parts);
    },
  }),
  route({
    method: 'get',
    path: '/logout/callback',
    summary:
      'Take a signed logout message of the SAML identity provider of an organisation from the address',
    ...logoutRedirecting,
    query: logoutAddress,
    openQuery: true,
    handler: async ({ ctx, query, meta }) => {
      const { location, ...parts } = await finishSamlLogout(ctx.platform, query.org, {
        delivery: { rawQuery: meta.rawQuery },
        origin: meta,
      });
      return reply(302, location, parts);
    },
  }),
];
