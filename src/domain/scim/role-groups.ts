// The fixed SCIM groups and what leaving one means (document 1, section 2).
import type { Role } from '../identity/roles.ts';

export const ROLE_GROUPS = [
  'owner',
  'admin',
  'member',
  'reviewer',
] as const satisfies readonly Role[];
export type RoleGroup = (typeof ROLE_GROUPS)[number];

export const isRoleGroup = (role: Role): role is RoleGroup =>
  (ROLE_GROUPS as readonly Role[]).includes(role);

/** Whoever leaves a bucket falls to the default role; whoever leaves that one may still look. */
export const roleAfter = (left: RoleGroup): Role => (left === 'member' ? 'viewer' : 'member');
