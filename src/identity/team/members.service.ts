// Team members: listed, changed in role, suspended, reactivated and removed (document 1, sections 3 and 4.4).
import { MANAGERS, type Role } from '../../domain/identity/roles.ts';
import { deriveDisplayName } from '../../domain/names/display-name.ts';
import type { Tenant, User } from '../../domain/identity/tenant.ts';
import { AppError } from '../../errors.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import type { AccountReader } from '../auth/accounts/account-reader.service.ts';
import type { UserDocument } from '../auth/accounts/users.model.ts';
import type { KeyService, KeySummary } from '../auth/keys/keys.service.ts';
import type { MembershipDocument } from '../organization/memberships/memberships.model.ts';
import type { MembershipService } from '../organization/memberships/memberships.service.ts';
import type { MemberView } from './members.schemas.ts';

interface Deps {
  accountReader: AccountReader;
  keys: KeyService;
  memberships: MembershipService;
}

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

export function createMemberService({ accountReader, keys, memberships }: Deps) {
  /**
   * Reads caller and membership again under the lock, since either may have changed since the request was
   * authenticated.
   */
  async function openForChange(
    { organizationId }: Tenant,
    caller: User,
    userId: string,
  ): Promise<{ callerRole: Role; membership: MembershipDocument }> {
    await memberships.lockOrganization(organizationId);
    const own = await memberships.findMembership(organizationId, caller.userId);
    if (!own?.isActive || !MANAGERS.includes(own.role)) throw new AppError('FORBIDDEN');
    const membership = await findOr404(memberships.findMembership(organizationId, userId));
    requireOwner(own.role, membership.role);
    return { callerRole: own.role, membership };
  }

  async function loadView(membership: MembershipDocument): Promise<MemberView> {
    return toView(membership, await findOr404(accountReader.findAccount(membership.userId)));
  }

  return {
    /** Lists all members who were not removed, newest first. */
    async listMembers({ organizationId }: Tenant): Promise<MemberView[]> {
      const found = await memberships.listMemberships(organizationId);
      const members = await accountReader.joinAccounts(found);
      return members.map(({ row, user }) => toView(row, user));
    },

    /** @throws AppError `NOT_FOUND`, `VALIDATION_ERROR` for the last active owner, `FORBIDDEN` when only an owner may */
    async changeRole(
      tenant: Tenant,
      caller: User,
      { userId, role }: { userId: string; role: Role },
    ): Promise<RoleChanged> {
      const { callerRole, membership } = await openForChange(tenant, caller, userId);
      requireOwner(callerRole, role);
      const changed = await memberships.change(membership, { role });
      return { from: membership.role, member: await loadView(changed) };
    },

    /** Ends the member's open sessions here. @throws AppError as `changeRole` */
    async suspend(tenant: Tenant, caller: User, userId: string): Promise<MemberView> {
      const { membership } = await openForChange(tenant, caller, userId);
      const suspended = { isActive: false, deactivatedBy: 'team' } as const;
      return loadView(await memberships.change(membership, suspended));
    },

    /**
     * Reactivates a member, suspended by any side.
     * @throws AppError `NOT_FOUND`, `FORBIDDEN` for oneself, or when only an owner may
     */
    async restoreMember(tenant: Tenant, caller: User, userId: string): Promise<MemberView> {
      if (userId === caller.userId)
        throw new AppError(
          'FORBIDDEN',
          'Members cannot reactivate themselves: ask an owner or admin',
        );
      const { membership } = await openForChange(tenant, caller, userId);
      return loadView(
        await memberships.change(membership, { isActive: true, deactivatedBy: null }),
      );
    },

    /**
     * Removes a member; the account and the keys that they created, which the answer names, stay.
     * @throws AppError as `changeRole`
     */
    async remove(tenant: Tenant, caller: User, userId: string): Promise<RemovedMember> {
      const { membership } = await openForChange(tenant, caller, userId);
      const { email } = await loadView(membership);
      await memberships.remove(membership);
      const left = await keys.listCreatedBy(tenant.organizationId, userId);
      return { userId, email, removed: true, keys: left };
    },
  };
}
export type MemberService = ReturnType<typeof createMemberService>;

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
