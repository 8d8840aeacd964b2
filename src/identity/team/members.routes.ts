// Routes of team members: list, change roles, suspend, reactivate, remove.
import { z } from 'zod';
import { MANAGERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { byUserId, memberView, removedView, roleChange } from './members.schemas.ts';

const manage = { auth: 'user', roles: MANAGERS, params: byUserId, data: memberView } as const;
const toAudit = (action: string) => ({ action, resource: 'member' });

export const memberRoutes = [
  route({
    method: 'get',
    path: '/members',
    summary: 'List the members, suspended ones included',
    auth: 'user',
    data: z.array(memberView),
    handler: ({ tenant }, { team }) => team.members.listMembers(tenant),
  }),
  route({
    method: 'patch',
    path: '/members/:userId/role',
    summary: 'Change the role of a member',
    ...manage,
    body: roleChange,
    audit: toAudit('team.member.role_changed'),
    handler: async ({ tenant, user, params, body }, { team }) => {
      const { from, member } = await team.members.changeRole(tenant, user, { ...params, ...body });
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
    handler: async ({ tenant, user, params }, { team }) => {
      const { from, member } = await team.members.changeRole(tenant, user, {
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
    handler: async ({ tenant, user, params: { userId } }, { team }) => {
      const member = await team.members.suspend(tenant, user, userId);
      return reply(200, member, { audit: toAuditTarget(userId, member) });
    },
  }),
  route({
    method: 'patch',
    path: '/members/:userId/reactivate',
    summary: 'Reactivate a member',
    ...manage,
    audit: toAudit('team.member.reactivated'),
    handler: async ({ tenant, user, params: { userId } }, { team }) => {
      const member = await team.members.restoreMember(tenant, user, userId);
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
    handler: async ({ tenant, user, params: { userId } }, { team }) => {
      const removed = await team.members.remove(tenant, user, userId);
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
