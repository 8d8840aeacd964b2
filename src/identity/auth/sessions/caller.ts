// Builds the caller of a request from a session.
import type { Caller, Tenant } from '../../../domain/identity/tenant.ts';
import type { Platform } from '../../../platform/platform.ts';
import { isLocked } from '../../../domain/identity/standing.ts';
import { AppError } from '../../../errors.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import type { SignOn } from './sessions.model.ts';
import type { UserDocument } from '../accounts/users.model.ts';

interface Authenticated {
  user: UserDocument;
  membership: MembershipDocument;
  claims: { jti: string; exp: number };
  context: { plan: Tenant['plan']; defaultWorkspaceId: string };
  /** Null: the user signed in at Assay itself. */
  signOn: SignOn | null;
  config: Pick<Platform['config'], 'SYSTEM_OWNERS' | 'requireVerifiedEmail'>;
}

export function toSessionCaller(found: Authenticated): Caller {
  const { user, membership, claims, context, signOn, config } = found;
  const userId = user._id.toHexString();
  const organizationId = membership.organizationId.toHexString();
  const { role } = membership;
  const isProved = user.emailVerifiedAt !== null;
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
      systemRole: resolveSystemRole(found),
      jti: claims.jti,
      expiresAt: claims.exp * 1000,
      isActive: membership.isActive,
      isSignOn: signOn !== null,
      isVerified: isProved || signOn !== null || !config.requireVerifiedEmail,
      ownsAccount: signOn === null || isOrganizationAccount(user, organizationId),
    },
  };
}

/**
 * Whether an account belongs to an organisation: created by its directory or provider, without a password, and in no
 * other organisation, since joining one ends `provisionedBy`. Any other account belongs to its user.
 */
export const isOrganizationAccount = (
  { provisionedBy, passwordHash }: UserDocument,
  organizationId: string,
): boolean => provisionedBy?.toHexString() === organizationId && passwordHash === null;

interface AccountAtTime {
  user: UserDocument;
  config: Pick<Platform['config'], 'requireVerifiedEmail'>;
  now: Date;
}

/** @throws AppError `ACCOUNT_DEACTIVATED` while a proof of the mailbox is overdue, where the installation asks for one */
export function requireUnlocked({ user, config, now }: AccountAtTime): void {
  if (config.requireVerifiedEmail && isLocked(user, now))
    throw new AppError(
      'ACCOUNT_DEACTIVATED',
      'The address of this account was not confirmed within a day: ask for a link by mail, and use it with your password',
    );
}

/** Gives no system role to an unproved address, nor after a sign-on at an organisation's identity provider. */
function resolveSystemRole({ user, signOn, config }: Authenticated): 'owner' | 'admin' | null {
  if (signOn !== null) return null;
  return config.SYSTEM_OWNERS.includes(user.email) && user.emailVerifiedAt !== null
    ? 'owner'
    : user.systemRole;
}
