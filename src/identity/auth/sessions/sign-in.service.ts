// Signs users in: from a proof of identity to a session or a second step; the only place that mints session tokens.
import type { Platform } from '../../../platform/platform.ts';
import type { Role } from '../../../domain/identity/roles.ts';
import { AppError } from '../../../errors.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import {
  findEnterableMembership,
  listUserMemberships,
  listEnterableMemberships,
  enterMembership,
} from '../../organization/memberships/memberships.service.ts';
import { getOrganizationContext } from '../../organization/organization.service.ts';
import { toUserView, type UserView } from '../accounts/account-views.ts';
import type { UserDocument } from '../accounts/users.model.ts';
import { issueToken } from '../email-links/one-time-tokens.service.ts';
import { isOrganizationAccount, requireUnlocked } from './caller.ts';
import { findSession, replaceSession } from './open-sessions.service.ts';
import {
  computeSessionEnd,
  type SessionStart,
  toDeviceStart,
  toSessionStart,
  computeTokenEnd,
} from './session-lifetime.ts';
import type { SecondFactorKind, SignOn } from './sessions.model.ts';
import type { UserContext } from '../../../platform/context.ts';

/** The client of a sign-in. */
export interface Origin {
  ip: string;
  userAgent: string | null;
}

/** A sign-on at the identity provider of an organisation, valid for that organisation only. */
export interface SignOnProof extends SignOn {
  organizationId: string;
}

/** How a user has proved their identity. */
export interface Proof {
  /** The method that the audit log shows, such as `password` or `magic_link`. */
  method: string;
  /** The provider of a social login. */
  provider?: string;
  /** Null: not given yet. */
  secondFactor: SecondFactorKind | null;
  /** Whether the organisation of the sign-on requires a second factor, even if the user has none yet. */
  mustHaveFactor?: boolean;
  /** Absent: the proof is valid for every organisation of the user. */
  signOn?: SignOnProof;
}

/** The origin and the proof of a sign-in. */
export interface SignInBy {
  origin: Origin;
  proof: Proof;
}

export interface OpenedSession {
  token: string;
  jti: string;
  organizationId: string;
  role: Role;
  expiresAt: Date;
}

/** The identified user, and the organisation that the sign-in enters. */
interface Identified extends Proof {
  user: UserView;
  organizationId: string;
  role: Role;
}
export type SignedIn = Identified & OpenedSession & { mfaRequired: false };
/** A sign-in that still lacks its second factor. */
export type SecondStep = Identified & { mfaRequired: true; tempToken: string };

/** Time allowed between password and second factor. */
const SECOND_STEP_MS = 5 * 60_000;
const REQUIRED = 'The organisation requires its own sign-on';

/** Opens a session in one organisation, or issues a temp token while the second factor is missing. */
export async function signInTo(
  platform: Platform,
  { user, membership }: { user: UserDocument; membership: MembershipDocument },
  { origin, proof }: SignInBy,
): Promise<SignedIn | SecondStep> {
  const organizationId = membership.organizationId.toHexString();
  const { role } = membership;
  const identified = { ...proof, user: toUserView(user), organizationId, role };
  if (mustGiveFactor(user, proof)) {
    requireEnrolable(user, organizationId);
    const tempToken = await beginSecondStep(platform, user, proof);
    return { ...identified, mfaRequired: true, tempToken };
  }
  const session = await enter(platform, user, membership, {
    origin,
    start: startNow(platform, proof),
  });
  return { ...identified, ...session, mfaRequired: false };
}

/**
 * `signInTo` the organisation used last, or that of the sign-on.
 * @throws AppError `ACCOUNT_DEACTIVATED` when every membership is suspended or gone, or the proof of the mailbox is overdue
 */
export async function signIn(
  platform: Platform,
  user: UserDocument,
  by: SignInBy,
): Promise<SignedIn | SecondStep> {
  requireUnlocked({ user, config: platform.config, now: platform.clock.now() });
  const membership = await resolveDestination(platform, user, by.proof.signOn);
  return signInTo(platform, { user, membership }, by);
}

/**
 * Mints a new token for the same organisation; the old one ends.
 * @throws AppError `ACCOUNT_DEACTIVATED`, `SESSION_REVOKED`
 */
export async function refreshSession(
  { platform, tenant: { organizationId }, user: { userId, jti } }: UserContext,
  origin: Origin,
): Promise<OpenedSession> {
  // One after the other: a transaction runs one operation at a time.
  const user = await platform.models.users.findById(userId).lean<UserDocument>();
  const membership = await findEnterableMembership(platform, organizationId, userId);
  if (!user || !membership) throw new AppError('ACCOUNT_DEACTIVATED');
  const start = toSessionStart(await replaceSession(platform, jti));
  return mintSession(platform, user, membership, { origin, start });
}

/**
 * Mints a token for another organisation of the user. `isApproved`: for a device, whose session ends with this one.
 * @throws AppError `NOT_FOUND` when it is none of theirs, `FORBIDDEN` when one organisation's sign-on would lead to
 * another
 */
export async function switchOrganization(
  { platform, tenant, user: { userId, jti } }: UserContext,
  organizationId: string,
  origin: Origin & { isApproved?: true },
): Promise<OpenedSession> {
  // One after the other: a transaction runs one operation at a time.
  const user = await findOr404(platform.models.users.findById(userId).lean<UserDocument>());
  const membership = await findOr404(findEnterableMembership(platform, organizationId, userId));
  const own = toSessionStart(await findSession(platform, jti));
  if (own.signOn && organizationId !== tenant.organizationId)
    throw new AppError(
      'FORBIDDEN',
      'A session opened by the sign-on of one organisation does not lead to another',
    );
  if (!own.signOn && !(await mayEnter(platform, membership)))
    throw new AppError('FORBIDDEN', REQUIRED);
  const start = origin.isApproved ? toDeviceStart(own) : own;
  return enter(platform, user, membership, { origin, start });
}

/**
 * Finds the organisation whose log holds events of the user alone: the one used last or the oldest, also a
 * suspended one, never an offered one; null: none.
 */
export async function findHome(
  platform: Platform,
  user: UserDocument,
): Promise<{ organizationId: string; role: Role } | null> {
  const home = findLastUsed(user, await listUserMemberships(platform, user._id.toHexString()));
  return home && { organizationId: home.organizationId.toHexString(), role: home.role };
}

async function mintSession(
  { clock, generateToken, models, sessionTokens }: Platform,
  user: UserDocument,
  membership: MembershipDocument,
  { origin, start }: { origin: Origin; start: SessionStart },
): Promise<OpenedSession> {
  const now = clock.now();
  const iat = Math.floor(now.getTime() / 1000);
  const exp = computeTokenEnd(now, user.sessionTimeout, start.endsAt);
  const userId = user._id.toHexString();
  const organizationId = membership.organizationId.toHexString();
  const { role, _id: membershipId } = membership;
  const jti = generateToken();
  const expiresAt = new Date(exp * 1000);
  const { ip, userAgent } = toClientInfo(origin);
  await models.sessions.create([
    { jti, userId, organizationId, membershipId, ip, userAgent, expiresAt, ...start },
  ]);
  await models.users.updateOne({ _id: userId }, { $set: { lastOrganizationId: organizationId } });
  const token = sessionTokens.sign({ sub: userId, organizationId, role, jti, iat, exp });
  return { token, jti, organizationId, role, expiresAt };
}

/** Opens a session that enters the organisation, unlike a refresh. */
async function enter(
  platform: Platform,
  user: UserDocument,
  membership: MembershipDocument,
  session: { origin: Origin; start: SessionStart },
): Promise<OpenedSession> {
  const { ip } = toClientInfo(session.origin);
  await enterMembership(platform, membership, { ip, at: platform.clock.now() });
  return mintSession(platform, user, membership, session);
}

/**
 * Whether a member may enter without the organisation's sign-on; owners may, lest a lost provider lock out all
 * members.
 */
async function mayEnter(
  platform: Platform,
  { organizationId, role }: MembershipDocument,
): Promise<boolean> {
  if (role === 'owner') return true;
  return !(await getOrganizationContext(platform, organizationId.toHexString())).requiresSso;
}

/** Keeps the memberships that need no sign-on. @throws AppError `FORBIDDEN` when all of them need one */
async function filterOpenMemberships(
  platform: Platform,
  enterable: readonly MembershipDocument[],
): Promise<MembershipDocument[]> {
  const open: MembershipDocument[] = [];
  // One after the other: a transaction runs one operation at a time.
  for (const membership of enterable)
    if (await mayEnter(platform, membership)) open.push(membership);
  if (open.length === 0 && enterable.length > 0) throw new AppError('FORBIDDEN', REQUIRED);
  return open;
}

/**
 * Chooses the membership that a sign-in enters: that of the sign-on's organisation; else the one used last, or the
 * oldest; an offered one only if there is no other.
 * @throws AppError `ACCOUNT_DEACTIVATED` when every membership that it could be is suspended or gone, `FORBIDDEN`
 * when it is of an organisation that requires its sign-on
 */
async function resolveDestination(
  platform: Platform,
  user: UserDocument,
  signOn: SignOnProof | undefined,
): Promise<MembershipDocument> {
  const userId = user._id.toHexString();
  const membership = signOn
    ? await findEnterableMembership(platform, signOn.organizationId, userId)
    : findLastUsed(
        user,
        sortOfferedLast(
          await filterOpenMemberships(platform, await listEnterableMemberships(platform, userId)),
        ),
      );
  if (!membership) throw new AppError('ACCOUNT_DEACTIVATED');
  return membership;
}

/** Returns the start of a session for a user who has just proved their identity. */
function startNow({ clock }: Platform, { secondFactor, ...proof }: Proof): SessionStart {
  const authenticatedAt = clock.now();
  const signOn = proof.signOn ?? null;
  return {
    signOn,
    secondFactor,
    authenticatedAt,
    endsAt: computeSessionEnd(authenticatedAt, signOn),
  };
}

/** Issues a temp token, which is valid for the second step only. */
async function beginSecondStep(
  platform: Platform,
  user: UserDocument,
  { method, provider, signOn }: Proof,
): Promise<string> {
  const userId = user._id.toHexString();
  const expiresAt = new Date(platform.clock.now().getTime() + SECOND_STEP_MS);
  const jti = await issueToken(platform, {
    purpose: 'second-factor',
    userId,
    facts: {
      method,
      provider: provider ?? null,
      signOn: signOn ?? null,
      mustEnrol: !user.mfa.enabled,
    },
    expiresAt,
  });
  return platform.tempTokens.issue({
    sub: userId,
    jti,
    exp: Math.floor(expiresAt.getTime() / 1000),
  });
}

const mustGiveFactor = ({ mfa }: UserDocument, proof: Proof): boolean =>
  proof.secondFactor === null && (mfa.enabled || proof.mustHaveFactor === true);

/** An organisation's sign-on may enrol a second factor for its own accounts only. @throws AppError `FORBIDDEN` */
function requireEnrolable(user: UserDocument, organizationId: string): void {
  if (!user.mfa.enabled && !isOrganizationAccount(user, organizationId))
    throw new AppError(
      'FORBIDDEN',
      'The organisation asks for a second factor: sign in to Assay itself and set one up',
    );
}

const toClientInfo = ({
  ip,
  userAgent,
}: Origin): { ip: string | null; userAgent: string | null } => ({
  ip: ip || null,
  userAgent,
});

/** Puts offered memberships last. */
const sortOfferedLast = (memberships: readonly MembershipDocument[]): MembershipDocument[] => [
  ...memberships.filter(({ isPending }) => !isPending),
  ...memberships.filter(({ isPending }) => isPending),
];

/** Finds the membership of the organisation that the user was in last, else the first. */
function findLastUsed(
  { lastOrganizationId }: UserDocument,
  memberships: readonly MembershipDocument[],
): MembershipDocument | null {
  const last = lastOrganizationId?.toHexString();
  const found = memberships.find(({ organizationId }) => organizationId.toHexString() === last);
  return found ?? memberships[0] ?? null;
}
