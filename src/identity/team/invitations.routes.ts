// Routes of invitations: list, create, send again and withdraw; for the holder of a token, read and accept.
import { z } from 'zod';
import { MANAGERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { AUTH } from '../../http/declaration/rate-limits.ts';
import { toSignInAudit } from '../../http/declaration/sign-in.ts';
import { byId } from '../../http/declaration/views.ts';
import {
  acceptedView,
  acceptInput,
  byToken,
  invitationInput,
  invitationView,
  revokedInvitationView,
  validityView,
} from './invitations.schemas.ts';
import {
  listInvitations,
  createInvitation,
  sendInvitationAgain,
  revokeInvitation,
} from './invitations.service.ts';
import { validateInvitation, acceptInvitation } from './acceptance.service.ts';

const manage = { auth: 'user', roles: MANAGERS } as const;
/** The token is the credential. */
const open = { auth: 'public', limits: [AUTH], params: byToken } as const;
const codes = ['INVITE_ALREADY_USED', 'EXPIRED'] as const;
const toAudit = (action: string) => ({ action, resource: 'invitation' });

const accepted = toAudit('team.invite.accepted');

export const invitationRoutes = [
  route({
    method: 'get',
    path: '/invites',
    summary: 'List pending invitations',
    auth: 'user',
    data: z.array(invitationView),
    handler: ({ ctx }) => listInvitations(ctx),
  }),
  route({
    method: 'post',
    path: '/invite',
    summary: 'Invite a person by mail',
    verified: true,
    ...manage,
    status: 201,
    body: invitationInput,
    data: invitationView,
    codes: ['ALREADY_MEMBER'],
    audit: toAudit('team.invite'),
    handler: async ({ ctx, body }) => {
      const made = await createInvitation(ctx, body);
      return reply(201, made, { audit: { detail: made.email, metadata: { role: made.role } } });
    },
  }),
  route({
    method: 'post',
    path: '/invites/:id/resend',
    summary: 'Send an invitation again, for another seven days',
    verified: true,
    ...manage,
    params: byId,
    data: invitationView,
    codes,
    audit: toAudit('team.invite.resent'),
    handler: async ({ ctx, params }) => {
      const sent = await sendInvitationAgain(ctx, params.id);
      return reply(200, sent, { audit: { detail: sent.email } });
    },
  }),
  route({
    method: 'delete',
    path: '/invites/:id',
    summary: 'Withdraw an invitation',
    ...manage,
    params: byId,
    data: revokedInvitationView,
    codes,
    audit: toAudit('team.invite.revoked'),
    handler: async ({ ctx, params }) => {
      const revoked = await revokeInvitation(ctx, params.id);
      return reply(200, revoked, { audit: { detail: revoked.email } });
    },
  }),
  route({
    method: 'get',
    path: '/invites/validate/:token',
    summary: 'What an invitation offers',
    ...open,
    data: validityView,
    handler: ({ ctx, params }) => validateInvitation(ctx.platform, params.token),
  }),
  route({
    method: 'post',
    path: '/invites/:token/accept',
    summary: 'Accept an invitation, with a new account or the password of the one there is',
    ...open,
    writes: 'own',
    body: acceptInput,
    data: acceptedView,
    codes: [...codes, 'ALREADY_MEMBER', 'INVALID_CREDENTIALS', 'ACCOUNT_DEACTIVATED', 'FORBIDDEN'],
    audit: accepted,
    handler: async ({ ctx, params, body, meta }) => {
      const made = await acceptInvitation(ctx.platform, params.token, {
        ...body,
        origin: meta,
      });
      const about = { ...accepted, resourceId: made.invitationId, detail: made.user.email };
      return reply(200, made, { audit: { ...toSignInAudit(made), ...about } });
    },
  }),
];
