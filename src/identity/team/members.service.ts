// Team members: listed, changed in role, suspended, reactivated and removed (document 1, sections 3 and 4.4).
import { MANAGERS, type Role } from '../../domain/identity/roles.ts';
import { deriveDisplayName } from '../../domain/names/display-name.ts';
import { AppError } from '../../errors.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import { findAccount, joinAccounts } from '../auth/accounts/account-reader.service.ts';
import type { UserDocument } from '../auth/accounts/users.model.ts';
import { type KeySummary, listKeysCreatedBy } from '../auth/keys/keys.service.ts';
import type { MembershipDocument } from '../organization/memberships/memberships.model.ts';
import {
  lockOrganization,
  findMembership,
  listMemberships,
  changeMembership,
  removeMembership,
} from '../organization/memberships/memberships.service.ts';
import type { MemberView } from './members.schemas.ts';
import type { Platform } from '../../platform/platform.ts';
import type { UserContext, Context } from '../../platform/context.ts';

interface RoleChanged {
  from: Role;
  member: MemberView;
}
interface RemovedMember {
  userId: string;
  email: string;
  removed: true;
  /** Keys that the member created and that stay valid. */
  keys: KeySummary[];
}

/** Lists all members who were not removed, newest first. */
export async function listTeamMembers({
  platform,
  tenant: { organizationId },
}: Context): Promise<MemberView[]> {
  const found = await listMemberships(platform, organizationId);
  const members = await joinAccounts(platform, found);
  return members.map(({ row, user }) => toView(row, user));
}

/** @throws AppError `NOT_FOUND`, `VALIDATION_ERROR` for the last active owner, `FORBIDDEN` when only an owner may */
export async function changeMemberRole(
  ctx: UserContext,
  { userId, role }: { userId: string; role: Role },
): Promise<RoleChanged> {
  const { platform } = ctx;
  const { callerRole, membership } = await openForChange(ctx, userId);
  requireOwner(callerRole, role);
  const changed = await changeMembership(platform, membership, { role });
  return { from: membership.role, member: await loadView(platform, changed) };
}

/** Ends the member's open sessions here. @throws AppError as `changeRole` */
export async function suspendMember(ctx: UserContext, userId: string): Promise<MemberView> {
  const { platform } = ctx;
  const { membership } = await openForChange(ctx, userId);
  const suspended = { isActive: false, deactivatedBy: 'team' } as const;
  return loadView(platform, await changeMembership(platform, membership, suspended));
}

/**
 * Reactivates a member, suspended by any side.
 * @throws AppError `NOT_FOUND`, `FORBIDDEN` for oneself, or when only an owner may
 */
export async function restoreMember(ctx: UserContext, userId: string): Promise<MemberView> {
  const { platform } = ctx;
  if (userId === ctx.user.userId)
    throw new AppError('FORBIDDEN', 'Members cannot reactivate themselves: ask an owner or admin');
  const { membership } = await openForChange(ctx, userId);
  return loadView(
    platform,
    await changeMembership(platform, membership, { isActive: true, deactivatedBy: null }),
  );
}

/**
 * Removes a member; the account and the keys that they created, which the answer names, stay.
 * @throws AppError as `changeRole`
 */
export async function removeMember(ctx: UserContext, userId: string): Promise<RemovedMember> {
  const { platform } = ctx;
  const { membership } = await openForChange(ctx, userId);
  const { email } = await loadView(platform, membership);
  await removeMembership(platform, membership);
  const left = await listKeysCreatedBy(platform, ctx.tenant.organizationId, userId);
  return { userId, email, removed: true, keys: left };
}

/**
 * Reads caller and membership again under the lock, since either may have changed since the request was
 * authenticated.
 */
async function openForChange(
  { platform, tenant: { organizationId }, user: caller }: UserContext,
  userId: string,
): Promise<{ callerRole: Role; membership: MembershipDocument }> {
  await lockOrganization(platform, organizationId);
  const own = await findMembership(platform, organizationId, caller.userId);
  if (!own?.isActive || !MANAGERS.includes(own.role)) throw new AppError('FORBIDDEN');
  const membership = await findOr404(findMembership(platform, organizationId, userId));
  requireOwner(own.role, membership.role);
  return { callerRole: own.role, membership };
}

async function loadView(platform: Platform, membership: MembershipDocument): Promise<MemberView> {
  return toView(membership, await findOr404(findAccount(platform, membership.userId)));
}

/** Admins may not make or unmake owners, because that would make them equal to owners. @throws AppError `FORBIDDEN` */
export function requireOwner(callerRole: Role, concerned: Role): void {
  if (concerned === 'owner' && callerRole !== 'owner')
    throw new AppError('FORBIDDEN', 'Only an owner makes, changes or removes an owner');
}

/** Shows a provisioned member as the directory does; account data are hidden until the member has entered here. */
function toView(membership: MembershipDocument, user: UserDocument): MemberView {
  const { userId, role, isActive, createdAt: joinedAt, directory, enteredAt } = membership;
  const { email, mfa } = user;
  const isShown = directory === null || enteredAt !== null;
  return {
    userId,
    role,
    isActive,
    joinedAt,
    email,
    name: directory ? deriveDisplayName(directory) : user.name,
    lastLoginIp: membership.lastLoginIp,
    mfaEnabled: isShown && mfa.enabled,
    createdAt: isShown ? user.createdAt : joinedAt,
  };
}
