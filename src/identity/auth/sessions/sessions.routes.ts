// Routes of sessions: refresh, end one or all, list and switch organisations.
import { z } from 'zod';
import { ROLES } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { AUTH } from '../../../http/declaration/rate-limits.ts';
import { clearedConsoleCookie, CONSOLE_COOKIE } from '../../../http/declaration/console-cookie.ts';
import { byId } from '../../../http/declaration/views.ts';
import {
  leftView,
  membershipView,
  openSessionView,
  revokedSessionsView,
  revokeInput,
  sessionView,
  streamTokenView,
  switchInput,
} from '../auth.schemas.ts';
import { listSessions, logOut, revokeOwnSessions, revokeSession } from './open-sessions.service.ts';
import { refreshSession, switchOrganization } from './sign-in.service.ts';
import { listOwnOrganizations, endOwnMembership } from './sessions.service.ts';
import { issueStreamToken } from './stream-tokens.service.ts';

const mine = { auth: 'user', limits: [AUTH], roles: ROLES } as const;
const toAudit = (action: string) => ({ action, resource: 'session' });

export const sessionRoutes = [
  route({
    method: 'post',
    path: '/refresh',
    summary: 'Mint a fresh token while the current one is valid',
    ...mine,
    data: sessionView,
    audit: toAudit('auth.refresh'),
    handler: async ({ ctx, meta }) => {
      const made = await refreshSession(ctx, meta);
      return reply(200, made, { audit: { metadata: { jti: made.jti } } });
    },
  }),
  route({
    method: 'post',
    path: '/logout',
    summary: 'End the session of the token presented',
    ...mine,
    whileDeactivated: true,
    data: revokedSessionsView,
    audit: toAudit('auth.logout'),
    handler: async ({ ctx, user, meta }) => {
      const cookies = meta.cookie(CONSOLE_COOKIE) === null ? [] : [clearedConsoleCookie];
      return reply(200, await logOut(ctx.platform, user), { cookies });
    },
  }),
  route({
    method: 'post',
    path: '/revoke-sessions',
    summary: 'End every session of the caller; after a sign-on those in its organisation',
    ...mine,
    data: revokedSessionsView,
    audit: toAudit('auth.revoke_sessions'),
    handler: ({ ctx }) => revokeOwnSessions(ctx),
  }),
  route({
    method: 'post',
    path: '/revoke-session',
    summary: 'End one session of the caller',
    ...mine,
    body: revokeInput,
    data: revokedSessionsView,
    audit: toAudit('auth.revoke_session'),
    handler: ({ ctx, body }) => revokeSession(ctx, body),
  }),
  route({
    method: 'get',
    path: '/sessions',
    summary:
      'Open sessions of the caller, newest first: in all organisations, after a sign-on in its own',
    ...mine,
    page: { limit: 25, max: 100 },
    data: openSessionView,
    handler: ({ ctx, page }) => listSessions(ctx, page),
  }),
  route({
    method: 'post',
    path: '/stream-token',
    summary: 'Mint a token that opens one event stream within 60 seconds',
    ...mine,
    status: 201,
    data: streamTokenView,
    handler: async ({ ctx }) => reply(201, await issueStreamToken(ctx)),
  }),
  route({
    method: 'get',
    path: '/me/orgs',
    summary: 'Organisations of the caller',
    ...mine,
    data: z.array(membershipView),
    handler: ({ ctx }) => listOwnOrganizations(ctx),
  }),
  route({
    method: 'delete',
    path: '/me/orgs/:id',
    summary:
      'Leave an organisation, or decline what its directory offers; its last active owner stays',
    ...mine,
    params: byId,
    data: leftView,
    audit: { action: 'team.member.left', resource: 'member' },
    handler: async ({ ctx, user, params }) => {
      const left = await endOwnMembership(ctx, params.id);
      const { organizationId, role } = left;
      const about = { organizationId, userRole: role, resourceId: user.userId };
      return reply(200, left, { audit: { ...about, detail: user.email } });
    },
  }),
  route({
    method: 'post',
    path: '/switch-org',
    summary: 'Mint a token for another organisation of the caller',
    ...mine,
    whileDeactivated: true,
    body: switchInput,
    data: sessionView,
    audit: toAudit('auth.switch_org'),
    handler: async ({ ctx, body, meta }) => {
      const made = await switchOrganization(ctx, body.organizationId, meta);
      return reply(200, made, {
        audit: {
          organizationId: made.organizationId,
          userRole: made.role,
          metadata: { jti: made.jti },
        },
      });
    },
  }),
];
