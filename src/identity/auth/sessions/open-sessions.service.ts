// Open sessions: listed, and ended singly or together (document 1, section 3).
import type { Platform } from '../../../platform/platform.ts';
import type { Types } from 'mongoose';
import type { Page } from '../../../domain/page.ts';
import type { Tenant, User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import { findOr404, type Listed, listPage } from '../../../platform/mongo/queries.ts';
import { loadAuditEntry } from '../../audit/audit-log.service.ts';
import type { IdentityProvider } from '../../organization/organization.service.ts';
import type { SessionDocument, SignOn } from './sessions.model.ts';
import type { UserContext, Context } from '../../../platform/context.ts';

/** The sessions that a provider names: by the person, by its own session ids, or by both. */
export interface NamedSessions extends Pick<SignOn, 'protocol' | 'issuer'> {
  /** Null: any person. */
  subject: string | null;
  /** Empty: all sessions of the person. */
  sessionIndexes: readonly string[];
}

interface OpenSession extends SessionDocument {
  /** Whether it is the session of the caller. */
  isCurrent: boolean;
}
/** How many sessions have ended. */
interface Revoked {
  revoked: number;
}

/** @throws AppError `SESSION_REVOKED` */
export async function findSession({ models }: Platform, jti: string): Promise<SessionDocument> {
  const session = await models.sessions.findOne({ jti }).lean<SessionDocument>();
  if (!session) throw new AppError('SESSION_REVOKED');
  return session;
}

/** Lists the caller's sessions in use, newest first. */
export async function listSessions(
  { platform, tenant, user }: UserContext,
  page: Page,
): Promise<Listed<OpenSession>> {
  const { jti } = user;
  const where = { ...toReachFilter(tenant, user), revokedAt: null, ...toInUseFilter(platform) };
  const { items, total } = await listPage(platform.models.sessions, where, page);
  return {
    items: items.map((session) => ({ ...session, isCurrent: session.jti === jti })),
    total,
  };
}

/** Records that the user has given a code of the second factor within the session. */
export async function recordSecondFactor({ models }: Platform, jti: string): Promise<void> {
  await models.sessions.updateOne({ jti }, { $set: { secondFactor: 'totp' } });
}

/**
 * Ends a session that a refresh replaces; of two simultaneous refreshes one succeeds.
 * @throws AppError `SESSION_REVOKED`
 */
export async function replaceSession(
  { models, clock }: Platform,
  jti: string,
): Promise<SessionDocument> {
  const replaced = await models.sessions
    .findOneAndUpdate({ jti, revokedAt: null }, { $set: { revokedAt: clock.now() } })
    .lean<SessionDocument>();
  if (!replaced) throw new AppError('SESSION_REVOKED');
  return replaced;
}

export async function logOut(platform: Platform, { jti }: Pick<User, 'jti'>): Promise<Revoked> {
  await endSession(platform, jti);
  return { revoked: 1 };
}

/** Ends every session of the caller that is in use. */
export function revokeOwnSessions({ platform, tenant, user }: UserContext): Promise<Revoked> {
  return revoke(platform, { ...toReachFilter(tenant, user), ...toInUseFilter(platform) });
}

/** Ends every session of the user that is in use, in all organisations, except perhaps one. */
export async function revokeAllSessions(
  platform: Platform,
  userId: string,
  exceptJti: string | null = null,
): Promise<Revoked> {
  const others = exceptJti === null ? {} : { jti: { $ne: exceptJti } };
  return revoke(platform, { userId, ...toInUseFilter(platform), ...others });
}

/** Ends one session of the caller, named by its `jti` or by the audit entry of its sign-in. @throws AppError `NOT_FOUND` */
export async function revokeSession(
  ctx: UserContext,
  named: { jti: string } | { auditLogId: string },
): Promise<Revoked> {
  const { platform } = ctx;
  const jti = 'jti' in named ? named.jti : await findJti(ctx, named.auditLogId);
  await findOr404(
    platform.models.sessions
      .findOneAndUpdate(
        { ...toReachFilter(ctx.tenant, ctx.user), jti },
        [{ $set: { revokedAt: { $ifNull: ['$revokedAt', platform.clock.now()] } } }],
        { updatePipeline: true },
      )
      .lean(),
  );
  await endSession(platform, jti);
  return { revoked: 1 };
}

/** Ends the user's sessions in one organisation. */
export async function endMemberSessions(
  platform: Platform,
  organizationId: string,
  userId: string,
): Promise<void> {
  await revoke(platform, { organizationId, userId });
}

/** Ends sessions that sign-ons have opened in an organisation; returns their number and user. */
export async function endSignedOnSessions(
  platform: Platform,
  organizationId: string,
  named: NamedSessions,
): Promise<Revoked & { userId: Types.ObjectId | null }> {
  const where = { organizationId, ...toSignOnFilter(named) };
  const known = await platform.models.sessions
    .findOne(where, 'userId', { sort: { _id: -1 } })
    .lean<Pick<SessionDocument, 'userId'>>();
  return { ...(await revoke(platform, where)), userId: known?.userId ?? null };
}

/** Ends the session of a caller and all others of its sign-on, including those that a refresh has replaced. */
export async function logOutEverywhere({
  platform,
  tenant: { organizationId },
  user: { jti },
}: UserContext): Promise<Revoked & { signOn: SignOn | null }> {
  const { signOn } = await findSession(platform, jti);
  await endSession(platform, jti);
  if (!signOn) return { revoked: 1, signOn: null };
  const { sessionIndex, otherIndexes = [] } = signOn;
  const sessionIndexes = sessionIndex === null ? [] : [sessionIndex, ...otherIndexes];
  const others = { organizationId, ...toSignOnFilter({ ...signOn, sessionIndexes }) };
  return { revoked: 1 + (await revoke(platform, others)).revoked, signOn };
}

/** Ends the sessions of sign-ons at all identity providers but `staying`; returns how many were in use. */
export async function endSignOns(
  platform: Platform,
  organizationId: string,
  staying: IdentityProvider | null,
): Promise<number> {
  const others = staying && [
    { 'signOn.protocol': { $ne: staying.protocol } },
    { 'signOn.issuer': { $ne: staying.issuer } },
  ];
  const { revoked } = await revoke(platform, {
    organizationId,
    ...toInUseFilter(platform),
    'signOn.subject': { $type: 'string' },
    ...(others && { $or: others }),
  });
  return revoked;
}

/** Revokes the matching sessions that are not revoked yet; returns how many. */
async function revoke({ models, clock }: Platform, where: object): Promise<Revoked> {
  const { modifiedCount } = await models.sessions.updateMany(
    { ...where, revokedAt: null },
    { $set: { revokedAt: clock.now() } },
  );
  return { revoked: modifiedCount };
}

/** Selects sessions that are neither expired nor replaced; revocation is checked separately. */
const toInUseFilter = ({ clock }: Platform) => ({
  expiresAt: { $gt: clock.now() },
  supersededAt: null,
});

/** Ends a session, and those of devices that it has approved, also before it was refreshed or led elsewhere. */
async function endSession(platform: Platform, jti: string): Promise<void> {
  await revoke(platform, { jti });
  const ended = await platform.models.sessions.findOne({ jti }).lean<SessionDocument>();
  if (ended) await revoke(platform, { userId: ended.userId, approvedIn: ended.root ?? jti });
}

/** Finds the session of an audit entry. @throws AppError `NOT_FOUND` */
async function findJti(ctx: Context, auditLogId: string): Promise<string> {
  const { metadata } = await loadAuditEntry(ctx, auditLogId);
  if (typeof metadata?.jti !== 'string') throw new AppError('NOT_FOUND');
  return metadata.jti;
}

/** Selects the named sessions; one without a known session id at the provider may be any of the person's. */
function toSignOnFilter({ protocol, issuer, subject, sessionIndexes }: NamedSessions): object {
  const ofProvider = { 'signOn.protocol': protocol, 'signOn.issuer': issuer };
  const ofPerson = subject === null ? ofProvider : { ...ofProvider, 'signOn.subject': subject };
  if (sessionIndexes.length === 0) return ofPerson;
  const indexes = subject === null ? sessionIndexes : [...sessionIndexes, null];
  const named = [
    { 'signOn.sessionIndex': { $in: indexes } },
    { 'signOn.otherIndexes': { $in: sessionIndexes } },
  ];
  return { ...ofPerson, $or: named };
}

/**
 * Selects the sessions that a caller may see and end: after a sign-on only those in the organisation of its provider.
 */
const toReachFilter = ({ organizationId }: Tenant, { userId, isSignOn }: User) =>
  isSignOn ? { userId, organizationId } : { userId };
