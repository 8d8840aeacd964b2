// The SCIM groups, one for each role that a directory manages (document 1, section 2).
import type { Role } from './roles.ts';

export const ROLE_GROUPS = [
  'owner',
  'admin',
  'member',
  'reviewer',
] as const satisfies readonly Role[];
export type RoleGroup = (typeof ROLE_GROUPS)[number];

export const isRoleGroup = (role: Role): role is RoleGroup =>
  (ROLE_GROUPS as readonly Role[]).includes(role);

/** The role after leaving a group: the default role; after leaving that of the default role, viewer. */
export const toRemainingRole = (left: RoleGroup): Role => (left === 'member' ? 'viewer' : 'member');
