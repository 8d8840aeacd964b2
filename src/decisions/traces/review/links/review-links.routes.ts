// The pages of one-time links: see a held decision and decide it, without the console and without scripts.
import { z } from 'zod';
import { showLinkPage, decideByLink } from './review-link-pages.service.ts';
import { signInAtReviewLink } from './review-link-sign-in.service.ts';
import { toSignInAudit } from '../../../../http/declaration/sign-in.ts';
import { reply, route } from '../../../../http/declaration/define-route.ts';
import { ACCOUNT, AUTH } from '../../../../http/declaration/rate-limits.ts';
import { linkParams, linkQuery, linkSignInForm, linkVerdictForm } from './review-links.schemas.ts';

const open = { auth: 'public', params: linkParams } as const;
const page = {
  ...open,
  kind: 'file',
  mediaType: 'text/html',
  data: z.unknown(),
} as const;

export const reviewLinkRoutes = [
  route({
    method: 'get',
    path: '/:token',
    summary: 'The page of a one-time link to a held decision; it decides nothing',
    ...page,
    openQuery: true,
    query: linkQuery,
    async handler({ ctx, params, query, meta }) {
      const shown = await showLinkPage({ ...ctx, browser: meta }, params.token, query.problem);
      return reply(200, shown.file, { headers: shown.headers });
    },
  }),
  route({
    method: 'post',
    path: '/:token',
    summary: 'Approve or reject a held decision by its one-time link',
    ...page,
    writes: 'own',
    bodyType: 'form',
    body: linkVerdictForm,
    audit: { action: 'review.decision', resource: 'review' },
    async handler({ ctx, params, body, meta }) {
      const shown = await decideByLink({ ...ctx, browser: meta }, params.token, body);
      const { file, headers, audit } = shown;
      return reply(200, file, { headers, audit });
    },
  }),
  route({
    method: 'post',
    path: '/:token/sign-in',
    summary: 'Sign in on the page of a one-time link, and come back to it',
    ...open,
    limits: [AUTH, ...ACCOUNT],
    kind: 'redirect',
    writes: 'own',
    status: 302,
    bodyType: 'form',
    body: linkSignInForm,
    data: z.string(),
    audit: { action: 'auth.login', resource: 'session' },
    async handler({ ctx, params, body, meta }) {
      const { location, cookies, signIn } = await signInAtReviewLink(
        { ...ctx, browser: meta },
        params.token,
        body,
      );
      const audit = signIn ? toSignInAudit(signIn) : [];
      return reply(302, location, { cookies, audit });
    },
  }),
];
