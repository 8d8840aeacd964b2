// Team members: who belongs to an organisation, in which role, and whether suspended (document 1, sections 3 and 4.4).
import type { Platform } from '../../composition/platform.ts';
import { MANAGERS, type Role } from '../../domain/identity/roles.ts';
import type { Tenant, User } from '../../domain/identity/tenant.ts';
import { AppError } from '../../errors.ts';
import type { UserDocument } from '../auth/accounts/users.model.ts';
import type { MembershipDocument } from '../organization/memberships/memberships.model.ts';
import type { MembershipService } from '../organization/memberships/memberships.service.ts';

type Deps = Pick<Platform, 'models'> & {
  memberships: MembershipService;
};

export function createMemberService({ models, memberships }: Deps) {
  /** The membership as it stands now, for a change by the caller: also who changes is read anew, for a moment ago it may have been another. */
  async function open(
    { organizationId }: Tenant,
    caller: User,
    userId: string,
  ): Promise<[Role, MembershipDocument]> {
    await memberships.lock(organizationId);
    const own = await memberships.find(organizationId, caller.userId);
    if (!own || own.deactivatedBy === 'team' || !MANAGERS.includes(own.role))
      throw new AppError('FORBIDDEN');
    const found = await memberships.find(organizationId, userId);
    if (!found) throw new AppError('NOT_FOUND');
    requireOwner(own.role, found.role);
    return [own.role, found];
  }

  async function shown(membership: MembershipDocument) {
    const user = await models.users.findById(membership.userId).lean<UserDocument>();
    if (!user) throw new AppError('NOT_FOUND');
    return memberOf(membership, user);
  }

  return {
    /** Everybody who was not removed, newest first. */
    async list({ organizationId }: Tenant) {
      const found = await models.memberships
        .find({ organizationId })
        .sort({ createdAt: -1, _id: -1 })
        .lean<MembershipDocument[]>();
      const users = await models.users
        .find({ _id: { $in: found.map(({ userId }) => userId) } })
        .lean<UserDocument[]>();
      const byId = new Map(users.map((user) => [user._id.toHexString(), user]));
      return found.flatMap((membership) => {
        const user = byId.get(membership.userId.toHexString());
        return user ? [memberOf(membership, user)] : [];
      });
    },

    /** @throws AppError `NOT_FOUND`, `VALIDATION_ERROR` for the last active owner, `FORBIDDEN` when only an owner may */
    async changeRole(
      tenant: Tenant,
      caller: User,
      { userId, role }: { userId: string; role: Role },
    ) {
      const [ownRole, before] = await open(tenant, caller, userId);
      requireOwner(ownRole, role);
      return { from: before.role, member: await shown(await memberships.change(before, { role })) };
    },

    /** Ends the member's open sessions here. @throws AppError as `changeRole` */
    async suspend(tenant: Tenant, caller: User, userId: string) {
      const [, before] = await open(tenant, caller, userId);
      return shown(await memberships.change(before, { isActive: false, deactivatedBy: 'team' }));
    },

    /** Whoever suspended. @throws AppError `NOT_FOUND`, `FORBIDDEN` when only an owner may */
    async reactivate(tenant: Tenant, caller: User, userId: string) {
      const [, before] = await open(tenant, caller, userId);
      return shown(await memberships.change(before, { isActive: true, deactivatedBy: null }));
    },

    /** The account survives. @throws AppError as `changeRole` */
    async remove(tenant: Tenant, caller: User, userId: string) {
      const [, before] = await open(tenant, caller, userId);
      const { email } = await shown(before);
      await memberships.remove(before);
      return { userId, email, removed: true as const };
    },
  };
}
export type MemberService = ReturnType<typeof createMemberService>;

/** An admin who could make or unmake owners would be one. @throws AppError `FORBIDDEN` */
export function requireOwner(callerRole: Role, concerned: Role): void {
  if (concerned === 'owner' && callerRole !== 'owner')
    throw new AppError('FORBIDDEN', 'Only an owner makes, changes or removes an owner');
}

function memberOf({ userId, role, isActive, createdAt }: MembershipDocument, user: UserDocument) {
  const { name, email, mfa, lastLoginIp } = user;
  return {
    userId,
    name,
    email,
    role,
    isActive,
    lastLoginIp,
    joinedAt: createdAt,
    mfaEnabled: mfa.enabled,
    createdAt: user.createdAt,
  };
}
