// Routes of local accounts: register, sign in with a password, change the password, read the own account.
import { ROLES } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { ACCOUNT, AUTH, OWN_ACCOUNT } from '../../../http/declaration/rate-limits.ts';
import { toSignInAudit } from '../../../http/declaration/sign-in.ts';
import {
  changeInput,
  completeInput,
  loginInput,
  meView,
  passwordChangedView,
  registeredView,
  registerInput,
  signInView,
} from '../auth.schemas.ts';
import {
  registerLocally,
  completeSignup,
  logIn,
  changePassword,
  describeCaller,
} from './local.service.ts';

const open = { auth: 'public', limits: [AUTH], writes: 'own' } as const;
const register = { action: 'auth.register', resource: 'organization' } as const;

export const localRoutes = [
  route({
    method: 'post',
    path: '/register',
    summary: 'Register an organisation and its owner',
    ...open,
    status: 201,
    body: registerInput,
    data: registeredView,
    codes: ['FORBIDDEN'],
    audit: register,
    async handler({ ctx, body, meta }) {
      const made = await registerLocally(ctx.platform, body, meta);
      return reply(201, made, {
        audit: { ...toSignInAudit(made), resourceId: made.organizationId },
      });
    },
  }),
  route({
    method: 'post',
    path: '/complete-signup',
    summary: 'Register an organisation and its owner with the token of a mail',
    ...open,
    status: 201,
    body: completeInput,
    data: registeredView,
    codes: ['FORBIDDEN', 'INVALID_TOKEN', 'EXPIRED'],
    audit: register,
    async handler({ ctx, body, meta }) {
      const made = await completeSignup(ctx.platform, body, meta);
      return reply(201, made, {
        audit: { ...toSignInAudit(made), resourceId: made.organizationId },
      });
    },
  }),
  route({
    method: 'post',
    path: '/login',
    summary: 'Sign in with a password',
    ...open,
    limits: [AUTH, ...ACCOUNT],
    body: loginInput,
    data: signInView,
    codes: ['INVALID_CREDENTIALS', 'ACCOUNT_DEACTIVATED', 'FORBIDDEN'],
    audit: { action: 'auth.login', resource: 'session' },
    async handler({ ctx, body, meta }) {
      const made = await logIn(ctx.platform, body, meta);
      return reply(200, made, { audit: toSignInAudit(made) });
    },
  }),
  route({
    method: 'post',
    path: '/change-password',
    summary: 'Change the password; the other sessions end',
    auth: 'user',
    account: true,
    limits: [AUTH, OWN_ACCOUNT],
    roles: ROLES,
    writes: 'own',
    body: changeInput,
    data: passwordChangedView,
    codes: ['INVALID_CREDENTIALS'],
    audit: { action: 'auth.change_password', resource: 'user' },
    handler: async ({ ctx, user, body }) =>
      reply(200, await changePassword(ctx, body), {
        audit: { resourceId: user.userId },
      }),
  }),
  route({
    method: 'get',
    path: '/me',
    summary: 'The caller and the active organisation',
    auth: 'user',
    roles: ROLES,
    data: meView,
    handler: ({ ctx }) => describeCaller(ctx),
  }),
];
