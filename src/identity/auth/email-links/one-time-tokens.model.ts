// One-time tokens: links in mail, second steps of a sign-in, stream tokens, login requests. Only the SHA-256 is stored.
import { Schema, type Types } from 'mongoose';

export const PURPOSES = [
  'signup',
  'reset',
  'magic-link',
  'second-factor',
  'stream',
  'sign-on',
] as const;
export type Purpose = (typeof PURPOSES)[number];

export interface OneTimeTokenDocument {
  _id: Types.ObjectId;
  purpose: Purpose;
  tokenHash: string;
  /** Null for a recipient without an account. */
  userId: Types.ObjectId | null;
  /** The address that a link was sent to; null for tokens that are not mailed. */
  email: string | null;
  /** Additional data of the purpose. */
  facts: Record<string, unknown>;
  /** Number of attempts, successful or not. */
  attempts: number;
  /** When the token was used or revoked; null: neither. */
  spentAt: Date | null;
  expiresAt: Date;
  createdAt: Date;
}

/** Expired tokens are kept for a week, so that they can be distinguished from unknown ones. */
const KEPT_SECONDS = 7 * 24 * 3600;

export const oneTimeTokenSchema = new Schema<OneTimeTokenDocument>(
  {
    purpose: { type: String, enum: PURPOSES, required: true, immutable: true },
    tokenHash: { type: String, required: true, immutable: true },
    userId: { type: Schema.Types.ObjectId, default: null, immutable: true },
    email: { type: String, default: null, immutable: true },
    facts: { type: Schema.Types.Mixed, default: {}, immutable: true },
    attempts: { type: Number, default: 0 },
    spentAt: { type: Date, default: null },
    expiresAt: { type: Date, required: true, immutable: true },
  },
  {
    collection: 'one_time_tokens',
    timestamps: { createdAt: true, updatedAt: false },
    autoIndex: false,
    minimize: false,
  },
);
oneTimeTokenSchema.index({ tokenHash: 1 }, { name: 'hash', unique: true });
oneTimeTokenSchema.index({ userId: 1, spentAt: 1 }, { name: 'user' });
oneTimeTokenSchema.index({ email: 1, purpose: 1 }, { name: 'email' });
oneTimeTokenSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
