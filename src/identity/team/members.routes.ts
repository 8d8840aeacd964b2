// Routes of team members: list, change roles, suspend, reactivate, remove.
import { z } from 'zod';
import { MANAGERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { byUserId, memberView, removedView, roleChange } from './members.schemas.ts';
import {
  listTeamMembers,
  changeMemberRole,
  suspendMember,
  restoreMember,
  removeMember,
} from './members.service.ts';

const manage = { auth: 'user', roles: MANAGERS, params: byUserId, data: memberView } as const;
const toAudit = (action: string) => ({ action, resource: 'member' });

export const memberRoutes = [
  route({
    method: 'get',
    path: '/members',
    summary: 'List the members, suspended ones included',
    auth: 'user',
    data: z.array(memberView),
    handler: ({ ctx }) => listTeamMembers(ctx),
  }),
  route({
    method: 'patch',
    path: '/members/:userId/role',
    summary: 'Change the role of a member',
    ...manage,
    body: roleChange,
    audit: toAudit('team.member.role_changed'),
    handler: async ({ ctx, params, body }) => {
      const { from, member } = await changeMemberRole(ctx, { ...params, ...body });
      return reply(200, member, {
        audit: toAuditTarget(params.userId, member, { from, to: member.role }),
      });
    },
  }),
  route({
    method: 'patch',
    path: '/members/:userId/auditor',
    summary: 'Make a member an auditor',
    ...manage,
    roles: ['owner'],
    audit: toAudit('team.member.role_changed'),
    handler: async ({ ctx, params }) => {
      const { from, member } = await changeMemberRole(ctx, {
        ...params,
        role: 'auditor',
      });
      return reply(200, member, {
        audit: toAuditTarget(params.userId, member, { from, to: member.role }),
      });
    },
  }),
  route({
    method: 'patch',
    path: '/members/:userId/status',
    summary: 'Suspend a member',
    ...manage,
    audit: toAudit('team.member.suspended'),
    handler: async ({ ctx, params: { userId } }) => {
      const member = await suspendMember(ctx, userId);
      return reply(200, member, { audit: toAuditTarget(userId, member) });
    },
  }),
  route({
    method: 'patch',
    path: '/members/:userId/reactivate',
    summary: 'Reactivate a member',
    ...manage,
    audit: toAudit('team.member.reactivated'),
    handler: async ({ ctx, params: { userId } }) => {
      const member = await restoreMember(ctx, userId);
      return reply(200, member, { audit: toAuditTarget(userId, member) });
    },
  }),
  route({
    method: 'delete',
    path: '/members/:userId',
    summary: 'Remove a member; the account survives',
    ...manage,
    data: removedView,
    audit: toAudit('team.remove_member'),
    handler: async ({ ctx, params: { userId } }) => {
      const removed = await removeMember(ctx, userId);
      return reply(200, removed, { audit: toAuditTarget(userId, removed) });
    },
  }),
];

/** Returns the target of an audit entry, which the member's address identifies. */
function toAuditTarget(
  resourceId: string,
  { email }: { email: string },
  metadata: Record<string, unknown> = {},
) {
  return { resourceId, detail: email, metadata };
}
