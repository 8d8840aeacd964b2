// A user's own profile, preferences and security settings (document 1, section 4.1).
import type { z } from 'zod';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant, User } from '../../../domain/identity/tenant.ts';
import type { Page } from '../../../domain/page.ts';
import { DIGEST_DEFAULT } from '../../../domain/events/notices.ts';
import { AppError } from '../../../errors.ts';
import { AFTER, omitUndefined, type Listed } from '../../../platform/mongo/queries.ts';
import type { AuditLogService } from '../../audit/audit-log.service.ts';
import { toUserView, type UserView } from '../accounts/account-views.ts';
import type { Preferences, SessionTimeout, UserDocument } from '../accounts/users.model.ts';
import type {
  preferencesChange,
  profileChange,
  SecuritySettings,
  LoginActivity,
} from './profile.schemas.ts';

interface Deps {
  auditLog: AuditLogService;
}

const DAY_MS = 86_400_000;

export function createProfileService(
  { models, clock }: Pick<Platform, 'models' | 'clock'>,
  { auditLog }: Deps,
) {
  async function change(userId: string, changes: Record<string, unknown>): Promise<UserDocument> {
    const user = await models.users
      .findOneAndUpdate({ _id: userId }, { $set: omitUndefined(changes) }, AFTER)
      .lean<UserDocument>();
    if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
    return user;
  }

  async function loadAccount({ userId }: User): Promise<UserDocument> {
    const user = await models.users.findById(userId).lean<UserDocument>();
    if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
    return user;
  }

  return {
    async update(
      { userId }: User,
      { name, locale, timezone }: z.output<typeof profileChange>,
    ): Promise<UserView> {
      return toUserView(await change(userId, { name, locale, timezone }));
    },

    /** Takes effect with the next token. */
    setTimeout({ userId }: User, sessionTimeout: SessionTimeout): Promise<UserDocument> {
      return change(userId, { sessionTimeout });
    },

    async loadPreferences(user: User): Promise<Required<Preferences>> {
      return completePreferences(await loadAccount(user));
    },

    /** Absent members stay as they are. */
    async setPreferences(
      { userId }: User,
      { theme, notificationOptOuts, noticeDigest }: z.output<typeof preferencesChange>,
    ): Promise<Required<Preferences>> {
      const changed = await change(userId, {
        'preferences.theme': theme,
        'preferences.notificationOptOuts.email': notificationOptOuts?.email,
        'preferences.notificationOptOuts.inApp': notificationOptOuts?.inApp,
        'preferences.noticeDigest.after': noticeDigest?.after,
        'preferences.noticeDigest.minutes': noticeDigest?.minutes,
      });
      return completePreferences(changed);
    },

    async loadSecuritySettings(user: User): Promise<SecuritySettings> {
      const { mfa, passwordHash, passwordChangedAt, emailVerifiedAt, sessionTimeout } =
        await loadAccount(user);
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

    /** Lists the caller's sign-ins and failed attempts in the active organisation. */
    async listLogins(tenant: Tenant, { userId }: User, page: Page): Promise<Listed<LoginActivity>> {
      const { items, total } = await auditLog.listEntries(
        tenant,
        { userId, action: 'auth.login' },
        page,
      );
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

/** Completes the preferences of accounts of earlier versions. */
function completePreferences({
  preferences,
}: Pick<UserDocument, 'preferences'>): Required<Preferences> {
  return { ...preferences, noticeDigest: { ...DIGEST_DEFAULT, ...preferences.noticeDigest } };
}
