// The check that every request with a session token passes (document 1, section 5).
import type { Platform } from '../../../composition/platform.ts';
import type { Caller } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { SessionClaims } from '../../../platform/secrets/tokens.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import type {
  OrganizationContext,
  OrganizationService,
} from '../../organization/organization.service.ts';
import { callerOf, requireUnlocked } from './caller.ts';
import { type RecordedSession, recordedSession } from './recorded-session.ts';
import type { SessionDocument, SignOn } from './sessions.model.ts';

type Deps = Pick<Platform, 'models' | 'config' | 'sessionTokens' | 'clock'> & {
  organizations: OrganizationService;
};

/** Instances may stamp a membership and a session by clocks that differ by so much. */
const CLOCKS_APART_MS = 10_000;

/** What says which session a request belongs to. */
export type SessionRef = Pick<SessionClaims, 'sub' | 'organizationId' | 'jti' | 'exp'>;

export function createAuthenticationService(deps: Deps) {
  const { models, organizations, sessionTokens, clock, config } = deps;

  /** The caller behind a session. @throws AppError one of the 401 codes of a session token */
  async function resume({ sub: userId, organizationId, jti, exp }: SessionRef): Promise<Caller> {
    const [session, context] = await Promise.all([
      recordedSession(models, { sub: userId, organizationId, jti }),
      organizations.context(organizationId),
    ]);
    const now = clock.now();
    if (session?.revokedAt) throw revocationOf(session);
    if (exp * 1000 <= now.getTime()) throw new AppError('TOKEN_EXPIRED');
    if (!session || !isUsable(session, context)) throw new AppError('SESSION_REVOKED');
    if (!belongsTo(session, { userId, organizationId })) throw new AppError('TOKEN_REVOKED');
    const { signOn, users, memberships } = session;
    const [user] = users;
    const [membership] = memberships;
    if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
    requireUnlocked({ user, config, now });
    requireMembership(membership);
    requireSameMembership(session, membership);
    requireWayIn(session, membership, context);
    return callerOf({ user, membership, claims: { jti, exp }, context, signOn, config });
  }

  return {
    /** @throws AppError one of the 401 codes of a session token */
    async authenticate(token: string): Promise<Caller> {
      return resume(sessionTokens.verify(token));
    },

    resume,
  };
}
export type AuthenticationService = ReturnType<typeof createAuthenticationService>;

/** A session outlives the deactivation by a directory. */
function requireMembership(
  membership: MembershipDocument | undefined,
): asserts membership is MembershipDocument {
  if (!membership) throw membershipEnded();
  if (!membership.isActive && membership.deactivatedBy !== 'scim')
    throw new AppError('ACCOUNT_DEACTIVATED');
}

/** What a change of the membership has revoked says so: a suspension while it lasts, a removal for good. */
function revocationOf({ revokedBy, memberships: [membership] }: RecordedSession): AppError {
  if (!revokedBy) return new AppError('SESSION_REVOKED');
  if (revokedBy === 'removal' || !membership) return membershipEnded();
  return new AppError(membership.isActive ? 'SESSION_REVOKED' : 'ACCOUNT_DEACTIVATED');
}

const membershipEnded = (): AppError => new AppError('TOKEN_REVOKED', 'The membership has ended');

/**
 * Whoever was removed and has come back signs in anew. A session of an earlier version does not name its membership, so it must not
 * be older. @throws AppError `TOKEN_REVOKED`
 */
function requireSameMembership(
  { membershipId, createdAt }: SessionDocument,
  membership: MembershipDocument,
): void {
  const isSame = membershipId
    ? membershipId.equals(membership._id)
    : createdAt.getTime() >= membership.createdAt.getTime() - CLOCKS_APART_MS;
  if (!isSame) throw membershipEnded();
}

/** Where an organisation requires its sign-on, only owners have another way in. */
function requireWayIn(
  { signOn }: SessionDocument,
  { role }: MembershipDocument,
  { requiresSso }: OrganizationContext,
): void {
  if (requiresSso && signOn === null && role !== 'owner') throw new AppError('SESSION_REVOKED');
}

/** Its sign-on still counts, and no refresh has replaced it. */
const isUsable = ({ signOn, supersededAt }: SessionDocument, context: OrganizationContext) =>
  isTrusted(signOn, context) && supersededAt == null;

/** Whoever could sign a token could write any user into it; the row says whose the session is. */
const belongsTo = (
  session: SessionDocument,
  claimed: { userId: string; organizationId: string },
): boolean =>
  session.userId.toHexString() === claimed.userId &&
  session.organizationId.toHexString() === claimed.organizationId;

/** A sign-on is good while its provider is the organisation's, also one that was under way when that changed. */
function isTrusted(signOn: SignOn | null, { identityProvider }: OrganizationContext): boolean {
  if (signOn === null) return true;
  const { protocol, issuer } = signOn;
  return protocol === identityProvider?.protocol && issuer === identityProvider.issuer;
}
