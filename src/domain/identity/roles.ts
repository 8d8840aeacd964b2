// Membership roles and what each may do (document 1, section 5).

export const ROLES = ['owner', 'admin', 'reviewer', 'member', 'viewer', 'auditor'] as const;
export type Role = (typeof ROLES)[number];

/** Roles that `PATCH /team/members/:userId/role` may assign; an invitation may offer every role. */
export const ASSIGNABLE_ROLES = ['owner', 'admin', 'member', 'viewer'] as const;

/** Roles that may read the organisation's records; an auditor sees only the views that name the role. */
export const READERS: readonly Role[] = ['owner', 'admin', 'reviewer', 'member', 'viewer'];
export const MANAGERS: readonly Role[] = ['owner', 'admin'];
/** Roles that may change records of the organisation, unless a route requires more. */
export const WRITERS: readonly Role[] = ['owner', 'admin', 'reviewer', 'member'];
/** Roles that decide held decisions, and review changes of policies. */
export const REVIEWERS: readonly Role[] = [...MANAGERS, 'reviewer'];
