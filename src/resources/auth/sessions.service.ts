// Sessions: the only place that mints a session token, and the check every request with one passes (document 1, sections 2 and 3).
import type { Caller, Tenant, User } from '../../domain/tenant.ts';
import type { Role } from '../../domain/roles.ts';
import { AppError } from '../../errors.ts';
import type { Clock } from '../../infra/clock.ts';
import type { SessionTokens } from '../../infra/tokens.ts';
import type { Models } from '../../models.ts';
import type { AuditService } from '../audit/audit.service.ts';
import type { MembershipDocument } from '../organization/memberships.model.ts';
import type { OrganizationService } from '../organization/organization.service.ts';
import type { SessionDocument } from './sessions.model.ts';
import type { SessionTimeout, UserDocument } from './users.model.ts';

interface Deps {
  models: Models;
  tokens: SessionTokens;
  organizations: OrganizationService;
  audit: AuditService;
  clock: Clock;
  newJti: () => string;
  /** E-mail addresses that hold the system-level role owner by configuration. */
  systemOwners: readonly string[];
}

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

type Account = Pick<UserDocument, '_id' | 'sessionTimeout' | 'mfa' | 'lastOrganizationId'>;

export function createSessionService(deps: Deps) {
  const { models, tokens, organizations, clock, newJti } = deps;

  async function mint(user: Account, membership: MembershipDocument, origin: Origin) {
    const now = clock.now();
    const exp = Math.floor(now.getTime() / 1000) + LIFETIME_SECONDS[user.sessionTimeout];
    const [userId, organizationId] = [user._id.toHexString(), membership.organizationId.toHexString()];
    const claims = { sub: userId, organizationId, role: membership.role, jti: newJti(), exp };
    await models.sessions.create([
      { ...claims, userId, ip: origin.ip || null, userAgent: origin.userAgent, expiresAt: new Date(exp * 1000) },
    ]);
    await models.users.updateOne({ _id: userId }, { $set: { lastOrganizationId: organizationId } });
    return {
      token: tokens.sign(claims),
      jti: claims.jti,
      organizationId,
      role: membership.role,
      expiresAt: new Date(exp * 1000),
    };
  }

  /** The user's active memberships, oldest first. */
  function membershipsOf(userId: string): Promise<MembershipDocument[]> {
    return models.memberships
      .find({ userId, isActive: true }, null, { crossTenant: true, sort: { createdAt: 1, _id: 1 } })
      .lean<MembershipDocument[]>();
  }

  async function activeMembership(userId: string, organizationId: string): Promise<MembershipDocument | null> {
    return models.memberships.findOne({ organizationId, userId, isActive: true }).lean<MembershipDocument>();
  }

  return {
    /**
     * Ends a successful proof of identity: a session in the organisation used last.
     * @throws AppError `ACCOUNT_DEACTIVATED` when every membership is suspended or gone
     */
    async signIn(user: Account, origin: Origin) {
      if (user.mfa.enabled)
        throw new AppError('CONFIG_ERROR', 'The second factor is not available on this installation');
      const memberships = await membershipsOf(user._id.toHexString());
      const last = user.lastOrganizationId?.toHexString();
      const membership =
        memberships.find(({ organizationId }) => organizationId.toHexString() === last) ?? memberships[0];
      if (!membership) throw new AppError('ACCOUNT_DEACTIVATED');
      return mint(user, membership, origin);
    },

    /** @throws AppError one of the 401 codes of a session token */
    async authenticate(token: string): Promise<Caller> {
      const claims = tokens.verify(token);
      const { sub: userId, organizationId } = claims;
      const [session, user, membership, context] = await Promise.all([
        models.sessions.findOne({ jti: claims.jti }).lean<SessionDocument>(),
        models.users.findById(userId).lean<UserDocument>(),
        models.memberships.findOne({ organizationId, userId }).lean<MembershipDocument>(),
        organizations.context(organizationId),
      ]);
      if (session?.revokedAt) throw new AppError('SESSION_REVOKED');
      if (claims.exp * 1000 <= clock.now().getTime()) throw new AppError('TOKEN_EXPIRED');
      if (!session) throw new AppError('SESSION_REVOKED');
      if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
      if (!membership) throw new AppError('TOKEN_REVOKED', 'The membership has ended');
      if (!membership.isActive && membership.deactivatedBy !== 'scim') throw new AppError('ACCOUNT_DEACTIVATED');
      return callerOf({
        user,
        membership,
        claims: { jti: claims.jti, exp: claims.exp },
        context,
        systemOwners: deps.systemOwners,
      });
    },

    /** A fresh token for the same organisation; the old one stays valid until it ends or is revoked. */
    async refresh({ organizationId }: Tenant, { userId }: User, origin: Origin) {
      // One after the other: a transaction runs one operation at a time.
      const user = await models.users.findById(userId).lean<UserDocument>();
      const membership = await activeMembership(userId, organizationId);
      if (!user || !membership) throw new AppError('ACCOUNT_DEACTIVATED');
      return mint(user, membership, origin);
    },

    /** A token for another organisation of the user. @throws AppError `NOT_FOUND` when it is none of theirs */
    async switchOrganization({ userId }: User, organizationId: string, origin: Origin) {
      // One after the other: a transaction runs one operation at a time.
      const user = await models.users.findById(userId).lean<UserDocument>();
      const membership = await activeMembership(userId, organizationId);
      if (!user || !membership) throw new AppError('NOT_FOUND');
      return mint(user, membership, origin);
    },

    async logout({ jti }: User) {
      await models.sessions.updateOne({ jti, revokedAt: null }, { $set: { revokedAt: clock.now() } });
      return { revoked: 1 };
    },

    /** Blacklists every active session of the user, in all organisations. */
    async revokeAll(userId: string) {
      const now = clock.now();
      const { modifiedCount } = await models.sessions.updateMany(
        { userId, revokedAt: null, expiresAt: { $gt: now } },
        { $set: { revokedAt: now } },
      );
      return { revoked: modifiedCount };
    },

    /** Blacklists one session of the user, named by its `jti` or by the audit entry of its sign-in. @throws AppError `NOT_FOUND` */
    async revokeOne(tenant: Tenant, { userId }: User, named: { jti: string } | { auditLogId: string }) {
      const jti = 'jti' in named ? named.jti : await jtiOf(deps.audit, tenant, named.auditLogId);
      const session = await models.sessions
        .findOneAndUpdate({ jti, userId }, [{ $set: { revokedAt: { $ifNull: ['$revokedAt', clock.now()] } } }], {
          updatePipeline: true,
        })
        .lean();
      if (!session) throw new AppError('NOT_FOUND');
      return { revoked: 1 };
    },

    /** Every organisation the user belongs to and may enter. */
    async organizationsOf({ userId }: User, current: string) {
      const memberships = await membershipsOf(userId);
      const named = await organizations.named(memberships.map(({ organizationId }) => organizationId.toHexString()));
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

async function jtiOf(audit: AuditService, tenant: Tenant, auditLogId: string): Promise<string> {
  const { metadata } = await audit.find(tenant, auditLogId);
  if (typeof metadata?.jti !== 'string') throw new AppError('NOT_FOUND');
  return metadata.jti;
}

interface Found {
  user: UserDocument;
  membership: MembershipDocument;
  claims: { jti: string; exp: number };
  context: { plan: Tenant['plan']; defaultWorkspaceId: string };
  systemOwners: readonly string[];
}

function callerOf({ user, membership, claims, context, systemOwners }: Found): Caller {
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
