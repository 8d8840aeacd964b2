// Inputs and views of a user's own profile, preferences and security settings (document 1, section 4.1).
import { z } from 'zod';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { optional } from '../../../http/declaration/optional.ts';
import { DIGEST_AFTER_MAX, DIGEST_MINUTES_MAX } from '../../../domain/events/notices.ts';
import { NOTIFICATION_TYPES } from '../../../domain/events/event-table.ts';
import { id, instant, singleLine } from '../../../http/declaration/views.ts';
import { SESSION_TIMEOUTS, THEMES } from '../accounts/users.model.ts';

function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

function isTimezone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export const profileChange = z.object({
  name: optional(singleLine(200)),
  locale: optional(
    z.string().max(35).refine(isLocale, 'must be a language tag, such as en or de-CH'),
  ),
  timezone: optional(
    z.string().max(64).refine(isTimezone, 'must be a time zone, such as Europe/Vienna'),
  ),
});
export const timeoutInput = z.object({ sessionTimeout: z.enum(SESSION_TIMEOUTS) });

/** Kinds of notifications: one of Assay's, or an event of the dashboard, whose name has a dot. */
const kind = z
  .string()
  .regex(
    /^[\w.:-]{1,64}$/,
    'must have 1 to 64 letters, digits, dots, colons, dashes or underscores',
  )
  .refine(
    (name) => name.includes('.') || NOTIFICATION_TYPES.some((known) => known === name),
    `must be one of ${NOTIFICATION_TYPES.join(', ')}, or an event such as review.assigned`,
  );
const kinds = z.array(kind).max(100);
/** Strict, so that a misspelt opt-out is refused instead of ignored. */
export const preferencesChange = z.strictObject({
  theme: optional(z.enum(THEMES)),
  notificationOptOuts: optional(z.strictObject({ email: optional(kinds), inApp: optional(kinds) })),
  noticeDigest: optional(
    z.strictObject({
      after: optional(z.int().min(0).max(DIGEST_AFTER_MAX)).describe(
        'Notices of one event that are sent one by one before a digest gathers the others',
      ),
      minutes: optional(z.int().min(1).max(DIGEST_MINUTES_MAX)).describe(
        'Within which those count, and between two digests',
      ),
    }),
  ),
});

export const timeoutView = z.object({ sessionTimeout: z.enum(SESSION_TIMEOUTS) });
export const preferencesView = z.object({
  theme: z.enum(THEMES),
  notificationOptOuts: z.object({ email: z.array(z.string()), inApp: z.array(z.string()) }),
  noticeDigest: z.object({ after: z.int(), minutes: z.int() }),
});
export const securityView = z.object({
  mfa: z.object({ enabled: z.boolean(), backupCodesLeft: z.number().int() }),
  password: z.object({
    isSet: z.boolean(),
    changedAt: instant.nullable(),
    ageDays: z.number().int().nullable(),
  }),
  emailVerifiedAt: instant.nullable(),
  sessionTimeout: z.enum(SESSION_TIMEOUTS),
  /** Devices cannot be trusted: the second factor is asked for at every sign-in. */
  trustedDevices: z
    .array(z.never())
    .describe('Devices cannot be trusted: the second factor is asked for at every sign-in'),
});
export type SecuritySettings = z.input<typeof securityView>;
export const loginView = z.object({
  /** The `auditLogId` of `revoke-session`. */
  _id: id.describe('The id of the audit entry'),
  status: z.enum(['success', 'failure']),
  detail: z.string().nullable(),
  method: z.string().nullable(),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  createdAt: instant,
});
/** A sign-in of the caller, or an attempt that failed. */
export type LoginActivity = z.input<typeof loginView>;

nameSchemas({
  ProfileChange: profileChange,
  SessionTimeoutInput: timeoutInput,
  PreferencesChange: preferencesChange,
  SessionTimeout: timeoutView,
  Preferences: preferencesView,
  SecuritySettings: securityView,
  LoginActivity: loginView,
});
