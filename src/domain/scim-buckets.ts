// The fixed SCIM groups and what leaving one means (document 1, section 2).
import type { Role } from './roles.ts';

export const BUCKETS = ['owner', 'admin', 'member', 'reviewer'] as const satisfies readonly Role[];
export type Bucket = (typeof BUCKETS)[number];

export const isBucket = (role: Role): role is Bucket => (BUCKETS as readonly Role[]).includes(role);

/** Whoever leaves a bucket falls to the default role; whoever leaves that one may still look. */
export const roleAfter = (left: Bucket): Role => (left === 'member' ? 'viewer' : 'member');
