// The check that every request with a session token passes (document 1, section 5).
import type { Platform } from '../../../platform/platform.ts';
import type { Caller } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { SessionClaims } from '../../../platform/secrets/tokens.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import {
  type OrganizationContext,
  getOrganizationContext,
} from '../../organization/organization.service.ts';
import { toSessionCaller, requireUnlocked } from './caller.ts';
import { type RecordedSession, loadRecordedSession } from './recorded-session.ts';
import type { SessionDocument, SignOn } from './sessions.model.ts';

/** The greatest expected clock difference between the instances that date memberships and sessions. */
const CLOCKS_APART_MS = 10_000;

/** The claims that identify the session of a request. */
export type SessionRef = Pick<SessionClaims, 'sub' | 'organizationId' | 'jti' | 'exp'>;

/** @throws AppError one of the 401 codes of a session token */
export async function authenticateSession(platform: Platform, token: string): Promise<Caller> {
  return resumeSession(platform, platform.sessionTokens.verify(token));
}

/** Loads the caller of a session. @throws AppError one of the 401 codes of a session token */
export async function resumeSession(platform: Platform, ref: SessionRef): Promise<Caller> {
  const { config } = platform;
  const { sub: userId, organizationId } = ref;
  const [session, context] = await Promise.all([
    loadRecordedSession(platform.models, ref),
    getOrganizationContext(platform, organizationId),
  ]);
  const now = platform.clock.now();
  if (session?.revokedAt) throw toRevocationError(session);
  if (ref.exp * 1000 <= now.getTime()) throw new AppError('TOKEN_EXPIRED');
  if (!session || !isUsable(session, context)) throw new AppError('SESSION_REVOKED');
  if (!hasSameOwner(session, { userId, organizationId })) throw new AppError('TOKEN_REVOKED');
  const { signOn, users, memberships } = session;
  const [user] = users;
  const [membership] = memberships;
  if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
  requireUnlocked({ user, config, now });
  requireMembership(membership);
  requireSameMembership(session, membership);
  requireWayIn(session, membership, context);
  return toSessionCaller({
    user,
    membership,
    claims: ref,
    context,
    signOn,
    config,
  });
}

/** Requires an active membership; a deactivation by a directory does not end sessions. */
function requireMembership(
  membership: MembershipDocument | undefined,
): asserts membership is MembershipDocument {
  if (!membership) throw toMembershipEndedError();
  if (!membership.isActive && membership.deactivatedBy !== 'scim')
    throw new AppError('ACCOUNT_DEACTIVATED');
}

/** Explains a revoked session: a removal always shows, a suspension while it lasts. */
function toRevocationError({ revokedBy, memberships: [membership] }: RecordedSession): AppError {
  if (!revokedBy) return new AppError('SESSION_REVOKED');
  if (revokedBy === 'removal' || !membership) return toMembershipEndedError();
  return new AppError(membership.isActive ? 'SESSION_REVOKED' : 'ACCOUNT_DEACTIVATED');
}

const toMembershipEndedError = (): AppError =>
  new AppError('TOKEN_REVOKED', 'The membership has ended');

/**
 * Requires a new sign-in of a member who was removed and has come back. A session of an earlier version does not name
 * its membership, so it must not be older than the membership.
 * @throws AppError `TOKEN_REVOKED`
 */
function requireSameMembership(
  { membershipId, createdAt }: SessionDocument,
  membership: MembershipDocument,
): void {
  const isSame = membershipId
    ? membershipId.equals(membership._id)
    : createdAt.getTime() >= membership.createdAt.getTime() - CLOCKS_APART_MS;
  if (!isSame) throw toMembershipEndedError();
}

/** When an organisation requires its sign-on, only owners may use another one. */
function requireWayIn(
  { signOn }: SessionDocument,
  { role }: MembershipDocument,
  { requiresSso }: OrganizationContext,
): void {
  if (requiresSso && signOn === null && role !== 'owner') throw new AppError('SESSION_REVOKED');
}

/** Whether the sign-on is still trusted, and no refresh has replaced the session. */
const isUsable = ({ signOn, supersededAt }: SessionDocument, context: OrganizationContext) =>
  isTrusted(signOn, context) && supersededAt == null;

/** Compares the claims with the stored session: a stolen signing key could put any user into a token. */
const hasSameOwner = (
  session: SessionDocument,
  claimed: { userId: string; organizationId: string },
): boolean =>
  session.userId.toHexString() === claimed.userId &&
  session.organizationId.toHexString() === claimed.organizationId;

/**
 * A sign-on is trusted while its provider is the organisation's, also one that was running when the provider changed.
 */
function isTrusted(signOn: SignOn | null, { identityProvider }: OrganizationContext): boolean {
  if (signOn === null) return true;
  const { protocol, issuer } = signOn;
  return protocol === identityProvider?.protocol && issuer === identityProvider.issuer;
}
