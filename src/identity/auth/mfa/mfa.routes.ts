// Routes of the second factor: set up, enable, disable, second step of a sign-in, backup codes.
import { ROLES } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { AUTH, OWN_ACCOUNT } from '../../../http/declaration/rate-limits.ts';
import { toSignInAudit } from '../../../http/declaration/sign-in.ts';
import { signInView } from '../auth.schemas.ts';
import {
  backupCodesView,
  disableInput,
  enableInput,
  freshProofInput,
  mfaLoginInput,
  mfaStateView,
  setupView,
} from './mfa.schemas.ts';
import { beginEnrolment, enableFactor, disableFactor, replaceBackupCodes } from './mfa.service.ts';
import { completeSecondStep } from './second-step.service.ts';

/** The request is no transaction, because the count of wrong codes must survive a failure. */
const guessable = {
  auth: 'user',
  account: true,
  limits: [AUTH, OWN_ACCOUNT],
  roles: ROLES,
  writes: 'own',
} as const;
/** The body may be absent within ten minutes of the sign-in. */
const proved = {
  ...guessable,
  body: freshProofInput,
} as const;
const toAudit = (action: string) => ({ action, resource: 'user' });

export const mfaRoutes = [
  route({
    method: 'post',
    path: '/mfa/setup',
    summary: 'Make a secret for the second factor, not active yet',
    ...proved,
    data: setupView,
    codes: ['INVALID_OPERATION', 'INVALID_CREDENTIALS', 'INVALID_MFA_CODE'],
    audit: toAudit('auth.mfa_setup'),
    handler: async ({ ctx, user, body }) =>
      reply(200, await beginEnrolment(ctx, body), { audit: { resourceId: user.userId } }),
  }),
  route({
    method: 'post',
    path: '/mfa/enable',
    summary: 'Switch the second factor on with its first code',
    ...guessable,
    body: enableInput,
    data: mfaStateView,
    codes: ['INVALID_OPERATION', 'INVALID_MFA_CODE'],
    audit: toAudit('auth.mfa_enable'),
    handler: async ({ ctx, user, body }) =>
      reply(200, await enableFactor(ctx, body.code), { audit: { resourceId: user.userId } }),
  }),
  route({
    method: 'post',
    path: '/mfa/disable',
    summary: 'Switch the second factor off',
    ...guessable,
    body: disableInput,
    data: mfaStateView,
    codes: ['INVALID_OPERATION', 'INVALID_MFA_CODE'],
    audit: toAudit('auth.mfa_disable'),
    handler: async ({ ctx, user, body }) =>
      reply(200, await disableFactor(ctx, body), { audit: { resourceId: user.userId } }),
  }),
  route({
    method: 'post',
    path: '/mfa/login',
    summary: 'Sign in with the second factor after the temp token',
    auth: 'public',
    limits: [AUTH],
    writes: 'own',
    body: mfaLoginInput,
    data: signInView,
    codes: [
      'TOKEN_VERIFICATION_FAILED',
      'TOKEN_EXPIRED',
      'TOKEN_REVOKED',
      'UNAUTHORIZED_NO_USER',
      'INVALID_MFA_CODE',
      'INVALID_OPERATION',
      'ACCOUNT_DEACTIVATED',
      'FORBIDDEN',
    ],
    audit: { action: 'auth.login', resource: 'session' },
    async handler({ ctx, body, meta }) {
      const made = await completeSecondStep(ctx.platform, body, meta);
      return reply(200, made, { audit: toSignInAudit(made) });
    },
  }),
  route({
    method: 'post',
    path: '/backup-codes/generate',
    summary: 'Make new backup codes; every earlier one is void',
    ...proved,
    data: backupCodesView,
    codes: ['INVALID_CREDENTIALS', 'INVALID_MFA_CODE'],
    audit: toAudit('auth.backup_codes'),
    handler: async ({ ctx, user, body }) =>
      reply(200, await replaceBackupCodes(ctx, body), {
        audit: { resourceId: user.userId },
      }),
  }),
];
