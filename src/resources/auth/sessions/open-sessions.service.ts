// Open sessions: listed, and ended one by one or many at once (document 1, section 3).
import type { Platform } from '../../../composition/platform.ts';
import type { Page } from '../../../domain/page.ts';
import type { Tenant, User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import { findOr404, type Listed, listPage } from '../../../platform/mongo/queries.ts';
import type { AuditLogService } from '../../audit/audit-log.service.ts';
import type { IdentityProvider } from '../../organization/organization.service.ts';
import { supersededAt } from './session-lifetime.ts';
import type { SessionDocument, SignOn } from './sessions.model.ts';

type Deps = Pick<Platform, 'models' | 'clock'> & {
  auditLog: AuditLogService;
};

interface OpenSession extends SessionDocument {
  /** The one that asks. */
  isCurrent: boolean;
}
/** How many sessions have ended. */
interface Revoked {
  revoked: number;
}

export function createOpenSessionService({ models, auditLog, clock }: Deps) {
  /** Blacklists the sessions that fit and have not ended; answers how many. */
  async function revoke(where: object): Promise<Revoked> {
    const { modifiedCount } = await models.sessions.updateMany(
      { ...where, revokedAt: null },
      { $set: { revokedAt: clock.now() } },
    );
    return { revoked: modifiedCount };
  }

  /** Neither expired nor replaced; whether one was revoked is asked apart. */
  const inUse = () => ({
    expiresAt: { $gt: clock.now() },
    supersededAt: { $not: { $lte: clock.now() } },
  });

  /** @throws AppError `SESSION_REVOKED` */
  async function find(jti: string): Promise<SessionDocument> {
    const session = await models.sessions.findOne({ jti }).lean<SessionDocument>();
    if (!session) throw new AppError('SESSION_REVOKED');
    return session;
  }

  /** The session that an entry of the audit log tells of. @throws AppError `NOT_FOUND` */
  async function jtiOf(tenant: Tenant, auditLogId: string): Promise<string> {
    const { metadata } = await auditLog.find(tenant, auditLogId);
    if (typeof metadata?.jti !== 'string') throw new AppError('NOT_FOUND');
    return metadata.jti;
  }

  return {
    find,

    /** The caller's sessions in use, newest first. */
    async list(tenant: Tenant, user: User, page: Page): Promise<Listed<OpenSession>> {
      const { jti } = user;
      const where = { ...reach(tenant, user), revokedAt: null, ...inUse() };
      const { items, total } = await listPage(models.sessions, where, page);
      return {
        items: items.map((session) => ({ ...session, isCurrent: session.jti === jti })),
        total,
      };
    },

    /** The sign-on that opened a session; null: there was none. @throws AppError `SESSION_REVOKED` */
    async signOnOf(jti: string): Promise<SignOn | null> {
      return (await find(jti)).signOn ?? null;
    },

    /** The person has just given a code of the second factor in the session. */
    async gaveCode(jti: string): Promise<void> {
      await models.sessions.updateOne({ jti }, { $set: { secondFactor: 'totp' } });
    },

    /** A refresh has replaced the session, which ends after a grace period; a second one does not prolong it. */
    async supersede(jti: string): Promise<void> {
      await models.sessions.updateOne(
        { jti, supersededAt: null },
        { $set: { supersededAt: supersededAt(clock.now()) } },
      );
    },

    async logout({ jti }: User): Promise<Revoked> {
      await revoke({ jti });
      return { revoked: 1 };
    },

    /** Ends every session of the caller that is in use. */
    revokeOwn(tenant: Tenant, user: User): Promise<Revoked> {
      return revoke({ ...reach(tenant, user), ...inUse() });
    },

    /** Ends every session of the user that is in use, in all organisations, except perhaps one. */
    async revokeAll(userId: string, exceptJti: string | null = null): Promise<Revoked> {
      const others = exceptJti === null ? {} : { jti: { $ne: exceptJti } };
      return revoke({ userId, ...inUse(), ...others });
    },

    /** Ends one session of the caller, named by its `jti` or by the audit entry of its sign-in. @throws AppError `NOT_FOUND` */
    async revokeOne(
      tenant: Tenant,
      user: User,
      named: { jti: string } | { auditLogId: string },
    ): Promise<Revoked> {
      const jti = 'jti' in named ? named.jti : await jtiOf(tenant, named.auditLogId);
      await findOr404(
        models.sessions
          .findOneAndUpdate(
            { ...reach(tenant, user), jti },
            [{ $set: { revokedAt: { $ifNull: ['$revokedAt', clock.now()] } } }],
            { updatePipeline: true },
          )
          .lean(),
      );
      return { revoked: 1 };
    },

    /** Ends the user's sessions in one organisation. */
    async endIn(organizationId: string, userId: string): Promise<void> {
      await revoke({ organizationId, userId });
    },

    /** Ends the sessions that a sign-on opened in an organisation: those of the provider's session, or all of the person's. */
    async endSignedOn(
      organizationId: string,
      { protocol, issuer, subject, sessionIndex }: Omit<SignOn, 'format'>,
    ): Promise<Revoked> {
      const person = {
        'signOn.protocol': protocol,
        'signOn.issuer': issuer,
        'signOn.subject': subject,
      };
      const session = sessionIndex === null ? {} : { 'signOn.sessionIndex': sessionIndex };
      return revoke({ organizationId, ...person, ...session });
    },

    /** Ends what was signed on at any identity provider in an organisation but the one that stays; how many were in use. */
    async endSignOns(organizationId: string, staying: IdentityProvider | null): Promise<number> {
      const others = staying && [
        { 'signOn.protocol': { $ne: staying.protocol } },
        { 'signOn.issuer': { $ne: staying.issuer } },
      ];
      const { revoked } = await revoke({
        organizationId,
        ...inUse(),
        'signOn.subject': { $type: 'string' },
        ...(others && { $or: others }),
      });
      return revoked;
    },
  };
}

/** The sessions that a caller may see and end: after a sign-on at an organisation's provider only those in that organisation. */
const reach = ({ organizationId }: Tenant, { userId, isSignOn }: User) =>
  isSignOn ? { userId, organizationId } : { userId };

export type OpenSessionService = ReturnType<typeof createOpenSessionService>;
