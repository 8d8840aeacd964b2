// Local accounts: register an organisation with its first owner, sign in with a password (document 1, section 4.1).
import type { z } from 'zod';
import type { Tenant, User } from '../../domain/tenant.ts';
import { AppError } from '../../errors.ts';
import type { Clock } from '../../infra/clock.ts';
import type { Passwords } from '../../infra/passwords.ts';
import type { Models } from '../../models.ts';
import type { AuditService } from '../audit/audit.service.ts';
import type { OrganizationService } from '../organization/organization.service.ts';
import type { OrganizationDocument } from '../organization/organization.model.ts';
import type { loginInput, registerInput } from './auth.schemas.ts';
import type { Origin, SessionService } from './sessions.service.ts';
import type { UserDocument } from './users.model.ts';

interface Deps {
  models: Models;
  sessions: SessionService;
  organizations: OrganizationService;
  audit: AuditService;
  passwords: Passwords;
  clock: Clock;
  newId: () => string;
  transaction: <T>(work: () => Promise<T>) => Promise<T>;
  registration: 'open' | 'invite';
  log: { error(details: object, text: string): void };
}

export function createLocalService({
  models,
  sessions,
  organizations,
  audit,
  passwords,
  clock,
  newId,
  transaction,
  registration,
  log,
}: Deps) {
  const underWay = new Set<Promise<void>>();

  async function auditFailedSignIn(user: UserDocument, origin: Origin, detail: string): Promise<void> {
    const membership = await models.memberships
      .findOne({ userId: user._id }, null, { crossTenant: true, sort: { createdAt: 1 } })
      .lean();
    if (!membership) return;
    await audit.write({
      organizationId: (user.lastOrganizationId ?? membership.organizationId).toHexString(),
      workspaceId: null,
      userId: user._id.toHexString(),
      userEmail: user.email,
      userRole: membership.role,
      action: 'auth.login',
      resource: 'session',
      resourceId: null,
      status: 'failure',
      detail,
      metadata: { method: 'password' },
      ipAddress: origin.ip || null,
      userAgent: origin.userAgent,
    });
  }

  /** Beside the answer: a failure is told as soon for a known account as for an unknown one. */
  function noteFailure(user: UserDocument, origin: Origin, detail: string): void {
    const writing = auditFailedSignIn(user, origin, detail)
      .catch((error: unknown) => log.error({ err: error }, 'failed sign-in not audited'))
      .finally(() => underWay.delete(writing));
    underWay.add(writing);
  }

  return {
    /**
     * A new user with a new organisation, signed in as its owner.
     * @throws AppError `ALREADY_EXISTS` when the address has an account, `FORBIDDEN` when registration is by invitation only
     */
    async register({ name, email, password, organizationName }: z.output<typeof registerInput>, origin: Origin) {
      if (registration === 'invite') throw new AppError('FORBIDDEN', 'Registration is by invitation only');
      if (await models.users.exists({ email }))
        throw new AppError('ALREADY_EXISTS', 'An account with this address exists');
      const passwordHash = await passwords.hash(password);
      return transaction(async () => {
        const { organizationId } = await organizations.create(organizationName);
        const userId = newId();
        const now = clock.now();
        const [user] = await models.users.create([
          {
            _id: userId,
            email,
            name,
            passwordHash,
            passwordChangedAt: now,
            lastLoginAt: now,
            lastLoginIp: origin.ip,
            lastOrganizationId: organizationId,
          },
        ]);
        await models.memberships.create([{ organizationId, userId, role: 'owner' }]);
        if (!user) throw new AppError('INTERNAL_ERROR');
        const session = await sessions.signIn(user, origin);
        const organization = await models.organizations.findById(organizationId).lean<OrganizationDocument>();
        if (!organization) throw new AppError('INTERNAL_ERROR');
        return { ...session, user: shownUser(user.toObject()), organization: shownOrganization(organization) };
      });
    },

    /** @throws AppError `INVALID_CREDENTIALS`, the same for an unknown address and a wrong password; `ACCOUNT_DEACTIVATED` */
    async login({ email, password }: z.output<typeof loginInput>, origin: Origin) {
      const user = await models.users.findOne({ email }).lean<UserDocument>();
      const matches = await passwords.verify(user?.passwordHash ?? null, password);
      if (user && !matches) noteFailure(user, origin, 'wrong password');
      if (!user || !matches) throw new AppError('INVALID_CREDENTIALS');
      const session = await transaction(async () => {
        await models.users.updateOne({ _id: user._id }, { $set: { lastLoginAt: clock.now(), lastLoginIp: origin.ip } });
        return sessions.signIn(user, origin);
      }).catch((error: unknown) => {
        noteFailure(user, origin, error instanceof AppError ? error.code : 'fault');
        throw error;
      });
      return { ...session, user: shownUser(user) };
    },

    /** Resolves when every failed sign-in is audited. */
    async settle(): Promise<void> {
      await Promise.all(underWay);
    },

    /** The caller and the active organisation. */
    async me({ organizationId }: Tenant, { userId, role }: User) {
      const [user, organization] = await Promise.all([
        models.users.findById(userId).lean<UserDocument>(),
        models.organizations.findById(organizationId).lean<OrganizationDocument>(),
      ]);
      if (!user || !organization) throw new AppError('UNAUTHORIZED_NO_USER');
      return { user: shownUser(user), organization: shownOrganization(organization), role };
    },
  };
}
export type LocalService = ReturnType<typeof createLocalService>;

function shownUser(user: UserDocument) {
  return { ...user, mfaEnabled: user.mfa.enabled };
}

function shownOrganization(organization: OrganizationDocument) {
  return { ...organization, plan: organization.subscription.plan };
}
