// The person behind a login, in however many organisations; e-mail addresses are compared without case.
import { Schema, type Types } from 'mongoose';

export const SESSION_TIMEOUTS = ['1h', '8h', '24h', '7d'] as const;
export type SessionTimeout = (typeof SESSION_TIMEOUTS)[number];

export interface UserDocument {
  _id: Types.ObjectId;
  /** Lower-cased. */
  email: string;
  name: string;
  /** argon2id; null for a user who signs in by a provider only. */
  passwordHash: string | null;
  passwordChangedAt: Date | null;
  sessionTimeout: SessionTimeout;
  locale: string;
  timezone: string;
  mfa: { enabled: boolean };
  systemRole: 'owner' | 'admin' | null;
  /** Where the next sign-in leads. */
  lastOrganizationId: Types.ObjectId | null;
  lastLoginAt: Date | null;
  lastLoginIp: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export const userSchema = new Schema<UserDocument>(
  {
    email: { type: String, required: true, lowercase: true, trim: true },
    name: { type: String, required: true, trim: true, maxlength: 200 },
    passwordHash: { type: String, default: null },
    passwordChangedAt: { type: Date, default: null },
    sessionTimeout: { type: String, enum: SESSION_TIMEOUTS, default: '7d' },
    locale: { type: String, default: 'en' },
    timezone: { type: String, default: 'UTC' },
    mfa: { enabled: { type: Boolean, default: false } },
    systemRole: { type: String, enum: ['owner', 'admin', null], default: null },
    lastOrganizationId: { type: Schema.Types.ObjectId, default: null },
    lastLoginAt: { type: Date, default: null },
    lastLoginIp: { type: String, default: null },
  },
  { collection: 'users', timestamps: true, autoIndex: false },
);
userSchema.index({ email: 1 }, { name: 'email', unique: true });
