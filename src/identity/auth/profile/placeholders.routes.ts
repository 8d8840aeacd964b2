// Placeholder routes, which say what is not offered (document 1, section 4.1).
import { z } from 'zod';
import { ROLES } from '../../../domain/identity/roles.ts';
import { route, type Route } from '../../../http/declaration/define-route.ts';
import { AUTH } from '../../../http/declaration/rate-limits.ts';
import { byId, idParam } from '../../../http/declaration/views.ts';
import { informationView } from './placeholders.schemas.ts';

const everybody = { auth: 'public' } as const;
const signedIn = { auth: 'user', roles: ROLES } as const;
const informs = { limits: [AUTH], writes: 'none', data: informationView } as const;

const createAnswer = (feature: string, message: string) => () =>
  Promise.resolve({ available: false as const, feature, message });
const passkeys = createAnswer(
  'passkeys',
  'Passkeys are not offered; sign in with a password, a link by mail or your provider',
);
const mail = createAnswer(
  'email-verification',
  'An address is verified by request-signup, a password reset or a magic link',
);

const toPlaceholderRoute = (summary: string) => ({ method: 'post', summary, ...informs }) as const;

export const placeholderRoutes: Route[] = [
  route({
    ...toPlaceholderRoute('Passkeys are not offered'),
    ...signedIn,
    path: '/passkeys/registration/options',
    handler: passkeys,
  }),
  route({
    ...toPlaceholderRoute('Passkeys are not offered'),
    ...signedIn,
    path: '/passkeys/registration/verify',
    handler: passkeys,
  }),
  route({
    ...toPlaceholderRoute('Passkeys are not offered'),
    ...everybody,
    path: '/passkeys/authentication/options',
    handler: passkeys,
  }),
  route({
    ...toPlaceholderRoute('Passkeys are not offered'),
    ...everybody,
    path: '/passkeys/authentication/verify',
    handler: passkeys,
  }),
  route({
    ...toPlaceholderRoute('There is no passkey to remove'),
    ...signedIn,
    method: 'delete',
    path: '/passkeys/:id',
    params: byId,
    handler: passkeys,
  }),
  route({
    ...toPlaceholderRoute('There is no trusted device to forget'),
    ...signedIn,
    method: 'delete',
    path: '/trusted-devices/:deviceId',
    params: z.object({ deviceId: idParam }),
    handler: createAnswer(
      'trusted-devices',
      'No device is trusted: the second factor is asked for at every sign-in',
    ),
  }),
  route({
    ...toPlaceholderRoute('Accounts are not locked'),
    ...everybody,
    path: '/account/unlock-request',
    handler: createAnswer(
      'account-lock',
      'Accounts are not locked; after too many attempts wait as long as Retry-After says',
    ),
  }),
  route({
    ...toPlaceholderRoute('Former passwords are not remembered'),
    ...signedIn,
    path: '/password-history/check',
    handler: createAnswer(
      'password-history',
      'Former passwords are not remembered, so their reuse is not prevented',
    ),
  }),
  route({
    ...toPlaceholderRoute('Says how addresses are verified'),
    ...everybody,
    path: '/verify-email',
    handler: mail,
  }),
  route({
    ...toPlaceholderRoute('Says how addresses are verified'),
    ...everybody,
    path: '/resend-verification',
    handler: mail,
  }),
  route({
    ...toPlaceholderRoute('Codes cannot be sent again'),
    ...everybody,
    path: '/mfa/resend',
    handler: createAnswer(
      'mfa-resend',
      'Codes change every 30 seconds in the authenticator and cannot be sent again',
    ),
  }),
];
