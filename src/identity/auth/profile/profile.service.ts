// A user's own profile, preferences and security settings (document 1, section 4.1).
import type { z } from 'zod';
import type { Platform } from '../../../platform/platform.ts';
import type { Page } from '../../../domain/page.ts';
import { DIGEST_DEFAULT } from '../../../domain/events/notices.ts';
import { AppError } from '../../../errors.ts';
import { AFTER, omitUndefined, type Listed } from '../../../platform/mongo/queries.ts';
import { listAuditEntries } from '../../audit/audit-log.service.ts';
import { toUserView, type UserView } from '../accounts/account-views.ts';
import type { Preferences, SessionTimeout, UserDocument } from '../accounts/users.model.ts';
import type {
  preferencesChange,
  profileChange,
  SecuritySettings,
  LoginActivity,
} from './profile.schemas.ts';
import type { UserContext } from '../../../platform/context.ts';

const DAY_MS = 86_400_000;

export async function updateProfile(
  { platform, user: { userId } }: UserContext,
  { name, locale, timezone }: z.output<typeof profileChange>,
): Promise<UserView> {
  return toUserView(await changeAccount(platform, userId, { name, locale, timezone }));
}

/** Takes effect with the next token. */
export function setSessionTimeout(
  { platform, user: { userId } }: UserContext,
  sessionTimeout: SessionTimeout,
): Promise<UserDocument> {
  return changeAccount(platform, userId, { sessionTimeout });
}

export async function loadPreferences(ctx: UserContext): Promise<Required<Preferences>> {
  return completePreferences(await loadAccount(ctx));
}

/** Absent members stay as they are. */
export async function setPreferences(
  { platform, user: { userId } }: UserContext,
  { theme, notificationOptOuts, noticeDigest }: z.output<typeof preferencesChange>,
): Promise<Required<Preferences>> {
  const changed = await changeAccount(platform, userId, {
    'preferences.theme': theme,
    'preferences.notificationOptOuts.email': notificationOptOuts?.email,
    'preferences.notificationOptOuts.inApp': notificationOptOuts?.inApp,
    'preferences.noticeDigest.after': noticeDigest?.after,
    'preferences.noticeDigest.minutes': noticeDigest?.minutes,
  });
  return completePreferences(changed);
}

export async function loadSecuritySettings(ctx: UserContext): Promise<SecuritySettings> {
  const { mfa, passwordHash, passwordChangedAt, emailVerifiedAt, sessionTimeout } =
    await loadAccount(ctx);
  const changedAt = passwordHash === null ? null : passwordChangedAt;
  const ageDays =
    changedAt && Math.floor((ctx.platform.clock.now().getTime() - changedAt.getTime()) / DAY_MS);
  return {
    mfa: { enabled: mfa.enabled, backupCodesLeft: mfa.backupCodes.length },
    password: { isSet: passwordHash !== null, changedAt, ageDays },
    emailVerifiedAt,
    sessionTimeout,
    trustedDevices: [],
  };
}

/** Lists the caller's sign-ins and failed attempts in the active organisation. */
export async function listLogins(ctx: UserContext, page: Page): Promise<Listed<LoginActivity>> {
  const { userId } = ctx.user;
  const { items, total } = await listAuditEntries(ctx, { userId, action: 'auth.login' }, page);
  return {
    items: items.map(({ metadata, ...entry }) => ({
      ...entry,
      method: typeof metadata?.method === 'string' ? metadata.method : null,
    })),
    total,
  };
}

async function changeAccount(
  { models }: Platform,
  userId: string,
  changes: Record<string, unknown>,
): Promise<UserDocument> {
  const user = await models.users
    .findOneAndUpdate({ _id: userId }, { $set: omitUndefined(changes) }, AFTER)
    .lean<UserDocument>();
  if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
  return user;
}

async function loadAccount({
  platform: { models },
  user: { userId },
}: UserContext): Promise<UserDocument> {
  const user = await models.users.findById(userId).lean<UserDocument>();
  if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
  return user;
}

/** Completes the preferences of accounts of earlier versions. */
function completePreferences({
  preferences,
}: Pick<UserDocument, 'preferences'>): Required<Preferences> {
  return { ...preferences, noticeDigest: { ...DIGEST_DEFAULT, ...preferences.noticeDigest } };
}
