// Placeholder routes, which say what is not offered (document 1, section 4.1).
import { z } from 'zod';
import { ROLES } from '../../../domain/identity/roles.ts';
import { route, type Route } from '../../../http/declaration/define-route.ts';
import { byId, idParam } from '../../../http/declaration/views.ts';
import { informationView } from './placeholders.schemas.ts';

const everybody = { auth: 'public' } as const;
const signedIn = { auth: 'user', roles: ROLES } as const;
const informs = { limits: ['auth'], writes: 'none', data: informationView } as const;

const says = (feature: string, message: string) => () =>
  Promise.resolve({ available: false as const, feature, message });
const passkeys = says(
  'passkeys',
  'Passkeys are not offered; sign in with a password, a link by mail or your provider',
);
const mail = says(
  'email-verification',
  'An address is verified by request-signup, a password reset or a magic link',
);

const placeholder = (summary: string) => ({ method: 'post', summary, ...informs }) as const;

export const placeholderRoutes: Route[] = [
  route({
    ...placeholder('Passkeys are not offered'),
    ...signedIn,
    path: '/passkeys/registration/options',
    handler: passkeys,
  }),
  route({
    ...placeholder('Passkeys are not offered'),
    ...signedIn,
    path: '/passkeys/registration/verify',
    handler: passkeys,
  }),
  route({
    ...placeholder('Passkeys are not offered'),
    ...everybody,
    path: '/passkeys/authentication/options',
    handler: passkeys,
  }),
  route({
    ...placeholder('Passkeys are not offered'),
    ...everybody,
    path: '/passkeys/authentication/verify',
    handler: passkeys,
  }),
  route({
    ...placeholder('There is no passkey to remove'),
    ...signedIn,
    method: 'delete',
    path: '/passkeys/:id',
    params: byId,
    handler: passkeys,
  }),
  route({
    ...placeholder('There is no trusted device to forget'),
    ...signedIn,
    method: 'delete',
    path: '/trusted-devices/:deviceId',
    params: z.object({ deviceId: idParam }),
    handler: says(
      'trusted-devices',
      'No device is trusted: the second factor is asked for at every sign-in',
    ),
  }),
  route({
    ...placeholder('Accounts are not locked'),
    ...everybody,
    path: '/account/unlock-request',
    handler: says(
      'account-lock',
      'Accounts are not locked; after too many attempts wait as long as Retry-After says',
    ),
  }),
  route({
    ...placeholder('Former passwords are not remembered'),
    ...signedIn,
    path: '/password-history/check',
    handler: says(
      'password-history',
      'Former passwords are not remembered, so their reuse is not prevented',
    ),
  }),
  route({
    ...placeholder('Says how addresses are verified'),
    ...everybody,
    path: '/verify-email',
    handler: mail,
  }),
  route({
    ...placeholder('Says how addresses are verified'),
    ...everybody,
    path: '/resend-verification',
    handler: mail,
  }),
  route({
    ...placeholder('Codes cannot be sent again'),
    ...everybody,
    path: '/mfa/resend',
    handler: says(
      'mfa-resend',
      'Codes change every 30 seconds in the authenticator and cannot be sent again',
    ),
  }),
];
