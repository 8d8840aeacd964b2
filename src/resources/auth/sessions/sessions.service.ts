// Sessions: the only place that mints a session token, and the check every request with one passes (document 1, sections 2 and 3).
import type { Platform } from '../../../composition/platform.ts';
import type { Caller, Tenant, User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { SessionClaims } from '../../../platform/secrets/tokens.ts';
import type { AuditLogService } from '../../audit/audit-log.service.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import type { OrganizationService } from '../../organization/organization.service.ts';
import type { SessionTimeout, UserDocument } from '../accounts/users.model.ts';
import type { OneTimeTokenService } from '../email-links/one-time-tokens.service.ts';
import { callerOf } from './caller.ts';
import type { SessionDocument, SignOn } from './sessions.model.ts';
import { isTrusted, signedOnSessions } from './sso-sessions.ts';

type Deps = Pick<
  Platform,
  'models' | 'config' | 'sessionTokens' | 'tempTokens' | 'clock' | 'randomToken'
> & {
  oneTimeTokens: OneTimeTokenService;
  organizations: OrganizationService;
  auditLog: AuditLogService;
};

/** Where a sign-in comes from. */
export interface Origin {
  ip: string;
  userAgent: string | null;
}

const HOUR = 3600;
const LIFETIME_SECONDS: Record<SessionTimeout, number> = {
  '1h': HOUR,
  '8h': 8 * HOUR,
  '24h': 24 * HOUR,
  '7d': 168 * HOUR,
};

/** Between password and second factor. */
const SECOND_STEP_MS = 5 * 60_000;

/** Not suspended, and not given to an address that is still unproved. */
const OPEN = { isActive: true, awaitsProof: { $ne: true } } as const;

/** A sign-on at the identity provider of one organisation, which it is for. */
export interface SignOnProof extends SignOn {
  organizationId: string;
}

/** How somebody has proved who they are. */
export interface Proof {
  /** For the audit log: `password`, `magic_link` and so on. */
  method: string;
  /** Of a social login: by which provider. */
  provider?: string;
  /** What was given besides, or that an organisation leaves it to its identity provider; null: nothing yet. */
  secondFactor: 'totp' | 'backup_code' | 'identity_provider' | null;
  /** Absent: the proof is good for every organisation of the user. */
  signOn?: SignOnProof;
}

/** Who asks, and from which organisation. */
interface Here {
  tenant: Tenant;
  user: User;
}

/** From where, and by which sign-on, a session is opened. */
interface Opening {
  origin: Origin;
  signOn: SignOn | null;
}

/** What says which session a request belongs to. */
export type SessionRef = Pick<SessionClaims, 'sub' | 'organizationId' | 'jti' | 'exp'>;

export function createSessionService(deps: Deps) {
  const { models, sessionTokens, tempTokens, oneTimeTokens, organizations, clock } = deps;

  async function mint(
    user: UserDocument,
    membership: MembershipDocument,
    { origin, signOn }: Opening,
  ) {
    const now = clock.now();
    const exp = Math.floor(now.getTime() / 1000) + LIFETIME_SECONDS[user.sessionTimeout];
    const [userId, organizationId] = [
      user._id.toHexString(),
      membership.organizationId.toHexString(),
    ];
    const claims = {
      sub: userId,
      organizationId,
      role: membership.role,
      jti: deps.randomToken(),
      exp,
    };
    await models.sessions.create([
      {
        ...claims,
        userId,
        ip: origin.ip || null,
        userAgent: origin.userAgent,
        signOn,
        expiresAt: new Date(exp * 1000),
      },
    ]);
    await models.users.updateOne({ _id: userId }, { $set: { lastOrganizationId: organizationId } });
    return {
      token: sessionTokens.sign(claims),
      jti: claims.jti,
      organizationId,
      role: membership.role,
      expiresAt: new Date(exp * 1000),
    };
  }

  /** The memberships that the user may enter, oldest first. */
  function membershipsOf(userId: string): Promise<MembershipDocument[]> {
    return models.memberships
      .find({ userId, ...OPEN }, null, { crossTenant: true, sort: { createdAt: 1, _id: 1 } })
      .lean<MembershipDocument[]>();
  }

  /** Where what concerns a user alone is audited: the organisation used last or the oldest, also while suspended; null: nowhere. */
  async function homeOf({ _id, lastOrganizationId }: UserDocument) {
    const memberships = await models.memberships
      .find({ userId: _id }, null, { crossTenant: true, sort: { createdAt: 1, _id: 1 } })
      .lean<MembershipDocument[]>();
    const last = lastOrganizationId?.toHexString();
    const home =
      memberships.find(({ organizationId }) => organizationId.toHexString() === last) ??
      memberships[0];
    return home ? { organizationId: home.organizationId.toHexString(), role: home.role } : null;
  }

  async function activeMembership(
    userId: string,
    organizationId: string,
  ): Promise<MembershipDocument | null> {
    return models.memberships
      .findOne({ organizationId, userId, ...OPEN })
      .lean<MembershipDocument>();
  }

  /**
   * The organisation of the sign-on; else the one used last, or the oldest.
   * @throws AppError `ACCOUNT_DEACTIVATED` when every membership that it could be is suspended or gone
   */
  async function landing(
    user: UserDocument,
    signOn: SignOnProof | undefined,
  ): Promise<MembershipDocument> {
    const userId = user._id.toHexString();
    if (signOn) {
      const theirs = await activeMembership(userId, signOn.organizationId);
      if (!theirs) throw new AppError('ACCOUNT_DEACTIVATED');
      return theirs;
    }
    const memberships = await membershipsOf(userId);
    const last = user.lastOrganizationId?.toHexString();
    const membership =
      memberships.find(({ organizationId }) => organizationId.toHexString() === last) ??
      memberships[0];
    if (!membership) throw new AppError('ACCOUNT_DEACTIVATED');
    return membership;
  }

  /** The sign-on that opened a session; null: there was none. */
  async function signOnOf(jti: string): Promise<SignOn | null> {
    const session = await models.sessions.findOne({ jti }, 'signOn').lean<SessionDocument>();
    if (!session) throw new AppError('SESSION_REVOKED');
    return session.signOn ?? null;
  }

  /** A temp token that opens nothing but the second step. */
  async function secondStep(user: UserDocument, { method, provider, signOn }: Proof) {
    const userId = user._id.toHexString();
    const expiresAt = new Date(clock.now().getTime() + SECOND_STEP_MS);
    const jti = await oneTimeTokens.issue({
      purpose: 'second-factor',
      userId,
      facts: { method, provider: provider ?? null, signOn: signOn ?? null },
      expiresAt,
    });
    return tempTokens.issue({ sub: userId, jti, exp: Math.floor(expiresAt.getTime() / 1000) });
  }

  /** The caller behind a session. @throws AppError one of the 401 codes of a session token */
  async function resume({ sub: userId, organizationId, jti, exp }: SessionRef): Promise<Caller> {
    const [session, user, membership, context] = await Promise.all([
      models.sessions.findOne({ jti }).lean<SessionDocument>(),
      models.users.findById(userId).lean<UserDocument>(),
      models.memberships.findOne({ organizationId, userId }).lean<MembershipDocument>(),
      organizations.context(organizationId),
    ]);
    if (session?.revokedAt) throw new AppError('SESSION_REVOKED');
    if (exp * 1000 <= clock.now().getTime()) throw new AppError('TOKEN_EXPIRED');
    if (!session || !isTrusted(session.signOn, context)) throw new AppError('SESSION_REVOKED');
    if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
    if (!membership) throw new AppError('TOKEN_REVOKED', 'The membership has ended');
    if (!membership.isActive && membership.deactivatedBy !== 'scim')
      throw new AppError('ACCOUNT_DEACTIVATED');
    const { signOn } = session;
    return callerOf({
      user,
      membership,
      claims: { jti, exp },
      context,
      signOn,
      systemOwners: deps.config.SYSTEM_OWNERS,
    });
  }

  return {
    /**
     * Ends a proof of identity: a session in the organisation used last (or of the sign-on), or, while a second factor is missing,
     * a temp token.
     * @throws AppError `ACCOUNT_DEACTIVATED` when every membership is suspended or gone
     */
    async signIn(user: UserDocument, origin: Origin, proof: Proof) {
      const membership = await landing(user, proof.signOn);
      const organizationId = membership.organizationId.toHexString();
      const told = { user: toUserView(user), organizationId, role: membership.role, ...proof };
      if (user.mfa.enabled && proof.secondFactor === null)
        return { ...told, mfaRequired: true as const, tempToken: await secondStep(user, proof) };
      await models.users.updateOne(
        { _id: user._id },
        { $set: { lastLoginAt: clock.now(), lastLoginIp: origin.ip } },
      );
      return {
        ...told,
        mfaRequired: false as const,
        ...(await mint(user, membership, { origin, signOn: proof.signOn ?? null })),
      };
    },

    /** @throws AppError one of the 401 codes of a session token */
    async authenticate(token: string): Promise<Caller> {
      return resume(sessionTokens.verify(token));
    },

    resume,
    homeOf,

    /** A fresh token for the same organisation; the old one stays valid until it ends or is revoked. */
    async refresh({ organizationId }: Tenant, { userId, jti }: User, origin: Origin) {
      // One after the other: a transaction runs one operation at a time.
      const user = await models.users.findById(userId).lean<UserDocument>();
      const membership = await activeMembership(userId, organizationId);
      if (!user || !membership) throw new AppError('ACCOUNT_DEACTIVATED');
      return mint(user, membership, { origin, signOn: await signOnOf(jti) });
    },

    /**
     * A token for another organisation of the user.
     * @throws AppError `NOT_FOUND` when it is none of theirs, `FORBIDDEN` when one organisation's sign-on would lead to another
     */
    async switchOrganization(
      { tenant, user: { userId, jti } }: Here,
      organizationId: string,
      origin: Origin,
    ) {
      // One after the other: a transaction runs one operation at a time.
      const user = await models.users.findById(userId).lean<UserDocument>();
      const membership = await activeMembership(userId, organizationId);
      if (!user || !membership) throw new AppError('NOT_FOUND');
      const signOn = await signOnOf(jti);
      if (signOn && organizationId !== tenant.organizationId)
        throw new AppError(
          'FORBIDDEN',
          'This session was opened by the sign-on of one organisation, and ends there',
        );
      return mint(user, membership, { origin, signOn });
    },

    async logout({ jti }: User) {
      await models.sessions.updateOne(
        { jti, revokedAt: null },
        { $set: { revokedAt: clock.now() } },
      );
      return { revoked: 1 };
    },

    /** Blacklists every active session of the user, in all organisations, except perhaps one. */
    async revokeAll(userId: string, exceptJti: string | null = null) {
      const now = clock.now();
      const { modifiedCount } = await models.sessions.updateMany(
        {
          userId,
          revokedAt: null,
          expiresAt: { $gt: now },
          ...(exceptJti !== null && { jti: { $ne: exceptJti } }),
        },
        { $set: { revokedAt: now } },
      );
      return { revoked: modifiedCount };
    },

    /** The user's active sessions in all organisations, newest first. */
    async list({ userId, jti }: User, page: { skip: number; limit: number }) {
      const where = { userId, revokedAt: null, expiresAt: { $gt: clock.now() } };
      const [sessions, total] = await Promise.all([
        models.sessions
          .find(where)
          .sort({ createdAt: -1, _id: -1 })
          .skip(page.skip)
          .limit(page.limit)
          .lean<SessionDocument[]>(),
        models.sessions.countDocuments(where),
      ]);
      return {
        items: sessions.map((session) => ({ ...session, isCurrent: session.jti === jti })),
        total,
      };
    },

    /** Blacklists the user's sessions in one organisation. */
    async endIn(organizationId: string, userId: string): Promise<void> {
      await models.sessions.updateMany(
        { organizationId, userId, revokedAt: null },
        { $set: { revokedAt: clock.now() } },
      );
    },

    signOnOf,

    ...signedOnSessions({ models, clock }),

    /** Blacklists one session of the user, named by its `jti` or by the audit entry of its sign-in. @throws AppError `NOT_FOUND` */
    async revokeOne(
      tenant: Tenant,
      { userId }: User,
      named: { jti: string } | { auditLogId: string },
    ) {
      const jti = 'jti' in named ? named.jti : await jtiOf(deps.auditLog, tenant, named.auditLogId);
      const session = await models.sessions
        .findOneAndUpdate(
          { jti, userId },
          [{ $set: { revokedAt: { $ifNull: ['$revokedAt', clock.now()] } } }],
          {
            updatePipeline: true,
          },
        )
        .lean();
      if (!session) throw new AppError('NOT_FOUND');
      return { revoked: 1 };
    },

    /** Every organisation the user belongs to and may enter. */
    async organizationsOf({ userId }: User, current: string) {
      const memberships = await membershipsOf(userId);
      const named = await organizations.named(
        memberships.map(({ organizationId }) => organizationId.toHexString()),
      );
      return memberships.flatMap(({ organizationId, role, createdAt }) => {
        const organization = named.get(organizationId.toHexString());
        return organization
          ? [
              {
                organizationId,
                name: organization.name,
                slug: organization.slug,
                plan: organization.subscription.plan,
                role,
                joinedAt: createdAt,
                isCurrent: organizationId.toHexString() === current,
              },
            ]
          : [];
      });
    },
  };
}
export type SessionService = ReturnType<typeof createSessionService>;

/** A user as views show them. */
export function toUserView(user: UserDocument) {
  return { ...user, mfaEnabled: user.mfa.enabled };
}

async function jtiOf(
  auditLog: AuditLogService,
  tenant: Tenant,
  auditLogId: string,
): Promise<string> {
  const { metadata } = await auditLog.find(tenant, auditLogId);
  if (typeof metadata?.jti !== 'string') throw new AppError('NOT_FOUND');
  return metadata.jti;
}
