// Routes that sign people in with passkeys.
import { reply, route } from '../../../http/declaration/define-route.ts';
import { AUTH } from '../../../http/declaration/rate-limits.ts';
import { toSignInAudit } from '../../../http/declaration/sign-in.ts';
import { signInView } from '../auth.schemas.ts';
import {
  passkeyLoginInput,
  passkeyLoginOptionsInput,
  passkeyLoginOptionsView,
} from './credentials.schemas.ts';
import { beginPasskeySignIn, signInWithPasskey } from './passkey-sign-in.service.ts';

const open = { auth: 'public', limits: [AUTH], writes: 'own' } as const;
const ofTempToken = ['TOKEN_VERIFICATION_FAILED', 'TOKEN_EXPIRED'] as const;

export const passkeySignInRoutes = [
  route({
    method: 'post',
    path: '/login-options',
    summary: 'What a browser needs to sign in with a passkey',
    ...open,
    body: passkeyLoginOptionsInput,
    data: passkeyLoginOptionsView,
    codes: [...ofTempToken],
    handler: async ({ ctx, body }) =>
      reply(200, { ...(await beginPasskeySignIn(ctx.platform, body.tempToken)) } as never),
  }),
  route({
    method: 'post',
    path: '/login',
    summary: 'Sign in with a passkey: as the second factor of a temp token, or as both factors',
    ...open,
    body: passkeyLoginInput,
    data: signInView,
    codes: [
      ...ofTempToken,
      'TOKEN_REVOKED',
      'INVALID_TOKEN',
      'EXPIRED',
      'SIGNATURE_INVALID',
      'ACCOUNT_DEACTIVATED',
      'FORBIDDEN',
    ],
    audit: { action: 'auth.login', resource: 'session' },
    async handler({ ctx, body, meta }) {
      const made = await signInWithPasskey(ctx.platform, body, meta);
      return reply(200, made, { audit: toSignInAudit(made) });
    },
  }),
];
