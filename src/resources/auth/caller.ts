// The caller behind a session: what a request knows of who sent it.
import type { Role } from '../../domain/roles.ts';
import type { Caller, Tenant } from '../../domain/tenant.ts';
import type { MembershipDocument } from '../organization/memberships.model.ts';
import type { UserDocument } from './users.model.ts';

interface Found {
  user: UserDocument;
  membership: MembershipDocument;
  claims: { jti: string; exp: number };
  context: { plan: Tenant['plan']; defaultWorkspaceId: string };
  systemOwners: readonly string[];
}

export function callerOf({ user, membership, claims, context, systemOwners }: Found): Caller {
  const [userId, organizationId] = [user._id.toHexString(), membership.organizationId.toHexString()];
  const role: Role = membership.role;
  const systemRole = systemOwners.includes(user.email) ? 'owner' : user.systemRole;
  return {
    role,
    tenant: {
      organizationId,
      workspaceId: null,
      defaultWorkspaceId: context.defaultWorkspaceId,
      plan: context.plan,
      actor: { kind: 'user', id: userId },
      agentIds: null,
    },
    user: {
      userId,
      email: user.email,
      name: user.name,
      role,
      systemRole,
      jti: claims.jti,
      expiresAt: claims.exp * 1000,
    },
  };
}
