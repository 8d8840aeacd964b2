// What users set for themselves, and what they may see of their account's security (document 1, section 4.1).
import type { z } from 'zod';
import type { Platform } from '../../../composition/platform.ts';
import type { Tenant, User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { AuditLogService } from '../../audit/audit-log.service.ts';
import type { SessionTimeout, UserDocument } from '../accounts/users.model.ts';
import { toUserView } from '../sessions/sessions.service.ts';
import type { preferencesChange, profileChange } from './profile.schemas.ts';

type Deps = Pick<Platform, 'models' | 'clock'> & {
  auditLog: AuditLogService;
};

const DAY_MS = 86_400_000;

export function createProfileService({ models, auditLog, clock }: Deps) {
  async function change(userId: string, changes: Record<string, unknown>): Promise<UserDocument> {
    const given = Object.fromEntries(
      Object.entries(changes).filter(([, value]) => value !== undefined),
    );
    const user = await models.users
      .findOneAndUpdate({ _id: userId }, { $set: given }, { returnDocument: 'after' })
      .lean<UserDocument>();
    if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
    return user;
  }

  async function accountOf({ userId }: User): Promise<UserDocument> {
    const user = await models.users.findById(userId).lean<UserDocument>();
    if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
    return user;
  }

  return {
    async update({ userId }: User, { name, locale, timezone }: z.output<typeof profileChange>) {
      return toUserView(await change(userId, { name, locale, timezone }));
    },

    /** Counts from the next token on. */
    setTimeout: ({ userId }: User, sessionTimeout: SessionTimeout) =>
      change(userId, { sessionTimeout }),

    async preferences(user: User) {
      return (await accountOf(user)).preferences;
    },

    /** What is left out stays as it is. */
    async setPreferences(
      { userId }: User,
      { theme, notificationOptOuts }: z.output<typeof preferencesChange>,
    ) {
      const { preferences } = await change(userId, {
        'preferences.theme': theme,
        'preferences.notificationOptOuts.email': notificationOptOuts?.email,
        'preferences.notificationOptOuts.inApp': notificationOptOuts?.inApp,
      });
      return preferences;
    },

    async security(user: User) {
      const { mfa, passwordHash, passwordChangedAt, emailVerifiedAt, sessionTimeout } =
        await accountOf(user);
      const changedAt = passwordHash === null ? null : passwordChangedAt;
      const ageDays =
        changedAt && Math.floor((clock.now().getTime() - changedAt.getTime()) / DAY_MS);
      return {
        mfa: { enabled: mfa.enabled, backupCodesLeft: mfa.backupCodes.length },
        password: { isSet: passwordHash !== null, changedAt, ageDays },
        emailVerifiedAt,
        sessionTimeout,
        trustedDevices: [],
      };
    },

    /** The caller's own sign-ins and failed attempts in the active organisation. */
    async logins(tenant: Tenant, { userId }: User, page: { skip: number; limit: number }) {
      const { items, total } = await auditLog.list(tenant, { userId, action: 'auth.login' }, page);
      return {
        items: items.map(({ metadata, ...entry }) => ({
          ...entry,
          method: typeof metadata?.method === 'string' ? metadata.method : null,
        })),
        total,
      };
    },
  };
}
export type ProfileService = ReturnType<typeof createProfileService>;
