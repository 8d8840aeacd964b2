// Users: one account per person, whatever number of organisations they belong to; addresses are compared without case.
import { Schema } from 'mongoose';
import { DIGEST_DEFAULT, type DigestSettings } from '../../../domain/events/notices.ts';
import {
  defineCollection,
  definePart,
  type DocumentOf,
  type Shape,
  typeAs,
} from '../../../platform/mongo/collection.ts';

export const SESSION_TIMEOUTS = ['1h', '8h', '24h', '7d'] as const;
export type SessionTimeout = (typeof SESSION_TIMEOUTS)[number];

export const THEMES = ['system', 'light', 'dark'] as const;

const preferences = {
  theme: { type: String, enum: THEMES, default: 'system' },
  /** Kinds of notifications that the user has switched off, by channel. */
  notificationOptOuts: {
    email: { type: [String], default: [] },
    inApp: { type: [String], default: [] },
  },
  /** When notices of one event become a digest; absent in accounts of earlier versions: the default. */
  noticeDigest: typeAs<DigestSettings | undefined>({
    after: { type: Number, default: DIGEST_DEFAULT.after },
    minutes: { type: Number, default: DIGEST_DEFAULT.minutes },
  }),
} as const;
/** Settings that the dashboard stores for a user. */
export type Preferences = Shape<typeof preferences>;

const mfa = {
  enabled: { type: Boolean, default: false },
  /** Base32, sealed for this user; null while it is off. */
  secret: { type: String, default: null },
  /** A secret that was shown and not yet proved, sealed likewise. */
  pendingSecret: { type: String, default: null },
  /** The last accepted time step: no code works twice. */
  lastStep: { type: Number, default: 0 },
  /** Wrong codes of sign-ins since `failingSince`. */
  failures: { type: Number, default: 0 },
  failingSince: { type: Date, default: null },
  /** Wrong codes within sessions since `failingInsideSince`. */
  failuresInside: { type: Number, default: 0 },
  failingInsideSince: { type: Date, default: null },
  /** Keyed digests of the unused codes. */
  backupCodes: { type: [String], default: [] },
} as const;
/** The second factor. */
export type SecondFactor = Shape<typeof mfa>;

const identity = definePart({
  issuer: { type: String, required: true },
  subject: { type: String, required: true },
  linkedAt: { type: Date, required: true },
});
/** An account at a social login provider: its issuer and its name there, which never changes; never the e-mail address. */
export interface SocialIdentity extends DocumentOf<typeof identity> {}

export const userSchema = defineCollection(
  'users',
  {
    /** Lower-cased. */
    email: { type: String, required: true, lowercase: true, trim: true },
    name: { type: String, required: true, trim: true, maxlength: 200 },
    /** When it was last proved that the mailbox is the user's; null: never. */
    emailVerifiedAt: { type: Date, default: null },
    /** argon2id; null for a user who signs in by a provider only. */
    passwordHash: { type: String, default: null },
    passwordChangedAt: { type: Date, default: null },
    sessionTimeout: { type: String, enum: SESSION_TIMEOUTS, default: '7d' },
    locale: { type: String, default: 'en' },
    timezone: { type: String, default: 'UTC' },
    mfa,
    preferences,
    systemRole: { type: String, enum: ['owner', 'admin', null], default: null },
    /** Accounts at social login providers that can sign in here. */
    identities: [identity],
    /** The organisation whose directory created the account and may change it, until the user joins another one. */
    provisionedBy: { type: Schema.Types.ObjectId, default: null },
    /** The organisation that the next sign-in enters. */
    lastOrganizationId: { type: Schema.Types.ObjectId, default: null },
  },
  { timestamps: true, ofNoTenant: true },
);
export interface UserDocument extends DocumentOf<typeof userSchema> {}
userSchema.index({ email: 1 }, { name: 'email', unique: true });
userSchema.index(
  { 'identities.issuer': 1, 'identities.subject': 1 },
  {
    name: 'identity',
    unique: true,
    partialFilterExpression: { 'identities.subject': { $type: 'string' } },
  },
);
