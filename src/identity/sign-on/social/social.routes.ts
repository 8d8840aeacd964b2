// Routes of social login: start and callback for each provider, and the exchange of the session's cookie.
import { listSignInOptions } from './sign-in-options.service.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { SIGN_ON } from '../../../http/declaration/rate-limits.ts';
import { redirectAfterLogin } from '../../../http/declaration/sign-in.ts';
import {
  callbackQuery,
  exchangedView,
  locationView,
  signInOptionsView,
  startQuery,
} from '../login/sign-on.schemas.ts';
import { redeemSessionCookie } from '../login/cookie-exchange.service.ts';
import { beginSocialLogin, finishSocialLogin } from './social.service.ts';

const open = { method: 'get', auth: 'public', limits: SIGN_ON, codes: ['NOT_FOUND'] } as const;
const start = {
  ...open,
  kind: 'redirect',
  status: 302,
  query: startQuery,
  data: locationView,
} as const;
const callback = {
  ...open,
  kind: 'redirect',
  status: 302,
  query: callbackQuery,
  openQuery: true,
  data: locationView,
  writes: 'own',
  audit: { action: 'auth.login', resource: 'session' },
} as const;

/** Creates the start and callback routes of one provider. */
const createLoginRoutes = (kind: 'oauth-a' | 'oauth-b' | 'oauth-c', name: string) => [
  route({
    path: `/${kind}`,
    summary: `Sign in with ${name}: sends the browser there`,
    ...start,
    async handler({ ctx, query, meta }) {
      const { location, cookies } = await beginSocialLogin(ctx.platform, kind, {
        wanted: query.returnTo,
        origin: meta,
      });
      return reply(302, location, { cookies });
    },
  }),
  route({
    path: `/${kind}/callback`,
    summary: `Where ${name} sends the browser back`,
    ...callback,
    handler: async ({ ctx, query, meta }) =>
      redirectAfterLogin(
        await finishSocialLogin(ctx.platform, kind, { query, cookie: meta.cookie, origin: meta }),
      ),
  }),
];

export const socialRoutes = [
  ...createLoginRoutes('oauth-a', 'the first provider'),
  ...createLoginRoutes('oauth-b', 'the second provider'),
  ...createLoginRoutes('oauth-c', 'the third provider, which asks for the account'),
  route({
    ...open,
    codes: [],
    path: '/sign-in-options',
    summary: 'Which ways of signing in this installation has, for a page that offers them',
    data: signInOptionsView,
    handler: async ({ ctx }) => listSignInOptions(ctx.platform),
  }),
  route({
    ...open,
    path: '/oauth-token',
    summary: 'The session that a login has just opened in this browser, once',
    data: exchangedView,
    codes: [
      'NO_TOKEN',
      'TOKEN_VERIFICATION_FAILED',
      'TOKEN_EXPIRED',
      'TOKEN_REVOKED',
      'SESSION_REVOKED',
      'UNAUTHORIZED_NO_USER',
      'ACCOUNT_DEACTIVATED',
    ],
    async handler({ ctx, meta }) {
      const { data, parts } = await redeemSessionCookie(ctx.platform, meta.cookie);
      return reply(200, data, parts);
    },
  }),
];
