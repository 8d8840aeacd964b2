// Routes of links in mail: request one, and use one to set a password or to sign in.
import { requireOpenRegistration } from '../accounts/founding.service.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { AUTH } from '../../../http/declaration/rate-limits.ts';
import { toSignInAudit } from '../../../http/declaration/sign-in.ts';
import {
  addressInput,
  linkInput,
  passwordChangedView,
  resetInput,
  sentView,
  signInView,
} from '../auth.schemas.ts';
import { requestLink, resetPasswordByLink, signInByLink } from './email-links.service.ts';

/** Mails of one kind to an address, per client address and in total. */
const MAIL = [
  { name: 'mail', by: 'emailFrom', max: 'ASSAY_LIMIT_MAIL', perPath: true },
  { name: 'mail', by: 'email', max: 'ASSAY_LIMIT_MAIL_TOTAL', perPath: true },
] as const;

/** Any caller may request a link for any address. */
const request = {
  auth: 'public',
  limits: [AUTH, ...MAIL],
  body: addressInput,
  data: sentView,
} as const;
const use = { auth: 'public', limits: [AUTH], writes: 'own' } as const;

export const emailLinkRoutes = [
  route({
    method: 'post',
    path: '/request-signup',
    summary: 'Have a mail sent that proves the address of a new account',
    ...request,
    codes: ['FORBIDDEN'],
    async handler({ ctx, body }) {
      requireOpenRegistration(ctx.platform);
      return requestLink(ctx.platform, 'signup', body.email);
    },
  }),
  route({
    method: 'post',
    path: '/forgot-password',
    summary: 'Have a mail sent that lets the password be reset',
    ...request,
    handler: ({ ctx, body }) => requestLink(ctx.platform, 'reset', body.email),
  }),
  route({
    method: 'post',
    path: '/magic-link',
    summary: 'Have a mail sent that signs in once',
    ...request,
    handler: ({ ctx, body }) => requestLink(ctx.platform, 'magic-link', body.email),
  }),
  route({
    method: 'post',
    path: '/reset-password',
    summary: 'Set a new password with the token of a mail; every session ends',
    ...use,
    body: resetInput,
    data: passwordChangedView,
    codes: ['INVALID_TOKEN', 'EXPIRED'],
    audit: { action: 'auth.reset_password', resource: 'user' },
    async handler({ ctx, body }) {
      const { user, home, ...data } = await resetPasswordByLink(ctx.platform, body);
      if (home === null) return reply(200, data, { audit: [] });
      const userId = user._id.toHexString();
      const { organizationId, role } = home;
      const about = { userId, userEmail: user.email, resourceId: userId };
      return reply(200, data, { audit: { ...about, organizationId, userRole: role } });
    },
  }),
  route({
    method: 'post',
    path: '/magic-link/verify',
    summary: 'Sign in with the token of a mail',
    ...use,
    body: linkInput,
    data: signInView,
    codes: ['INVALID_TOKEN', 'EXPIRED', 'ACCOUNT_DEACTIVATED', 'INVALID_CREDENTIALS', 'FORBIDDEN'],
    audit: { action: 'auth.login', resource: 'session' },
    async handler({ ctx, body, meta }) {
      const made = await signInByLink(ctx.platform, body, meta);
      return reply(200, made, { audit: toSignInAudit(made) });
    },
  }),
];
