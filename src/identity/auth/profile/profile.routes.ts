// Routes of a user's own profile, preferences and security settings.
import { ROLES } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { AUTH } from '../../../http/declaration/rate-limits.ts';
import { accountView } from '../auth.schemas.ts';
import {
  loginView,
  preferencesChange,
  preferencesView,
  profileChange,
  securityView,
  timeoutInput,
  timeoutView,
} from './profile.schemas.ts';
import {
  updateProfile,
  setSessionTimeout,
  loadPreferences,
  setPreferences,
  loadSecuritySettings,
  listLogins,
} from './profile.service.ts';

const mine = { auth: 'user', limits: [AUTH], roles: ROLES } as const;
const account = { ...mine, account: true } as const;
const toAudit = (action: string) => ({ action, resource: 'user' });

export const profileRoutes = [
  route({
    method: 'patch',
    path: '/profile',
    summary: 'Change name, locale or time zone',
    ...account,
    body: profileChange,
    data: accountView,
    audit: toAudit('user.update_profile'),
    handler: ({ ctx, body }) => updateProfile(ctx, body),
  }),
  route({
    method: 'patch',
    path: '/me/session-timeout',
    summary: 'Set how long new session tokens live',
    ...account,
    body: timeoutInput,
    data: timeoutView,
    audit: toAudit('user.session_timeout'),
    handler: async ({ ctx, user, body }) =>
      reply(200, await setSessionTimeout(ctx, body.sessionTimeout), {
        audit: { resourceId: user.userId },
      }),
  }),
  route({
    method: 'get',
    path: '/me/preferences',
    summary: 'Dashboard preferences of the caller',
    ...mine,
    data: preferencesView,
    handler: ({ ctx }) => loadPreferences(ctx),
  }),
  route({
    method: 'patch',
    path: '/me/preferences',
    summary: 'Change dashboard preferences; absent members stay',
    ...account,
    body: preferencesChange,
    data: preferencesView,
    audit: toAudit('user.update_preferences'),
    handler: async ({ ctx, user, body }) =>
      reply(200, await setPreferences(ctx, body), {
        audit: { resourceId: user.userId },
      }),
  }),
  route({
    method: 'get',
    path: '/security-settings',
    summary: 'Second factor, age of the password, trusted devices',
    ...account,
    data: securityView,
    handler: ({ ctx }) => loadSecuritySettings(ctx),
  }),
  route({
    method: 'get',
    path: '/login-activity',
    summary: 'Sign-ins of the caller and failed attempts, newest first',
    ...mine,
    page: { limit: 25, max: 100 },
    data: loginView,
    handler: ({ ctx, page }) => listLogins(ctx, page),
  }),
];
