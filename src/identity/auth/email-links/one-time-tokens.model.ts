// One-time tokens: links in mail, second steps of a sign-in, stream tokens, login requests. Only the SHA-256 is stored.
import { Schema } from 'mongoose';
import {
  CREATED,
  defineCollection,
  type DocumentOf,
  typeAs,
} from '../../../platform/mongo/collection.ts';

export const PURPOSES = [
  'signup',
  'reset',
  'magic-link',
  'second-factor',
  'stream',
  'sign-on',
  'passkey',
  'passkey-sign-in',
] as const;
export type Purpose = (typeof PURPOSES)[number];

/** Expired tokens are kept for a week, so that they can be distinguished from unknown ones. */
const KEPT_SECONDS = 7 * 24 * 3600;

export const oneTimeTokenSchema = defineCollection(
  'one_time_tokens',
  {
    purpose: { type: String, enum: PURPOSES, required: true, immutable: true },
    tokenHash: { type: String, required: true, immutable: true },
    /** Null for a recipient without an account. */
    userId: { type: Schema.Types.ObjectId, default: null, immutable: true },
    /** The address that a link was sent to; null for tokens that are not mailed. */
    email: { type: String, default: null, immutable: true },
    /** Additional data of the purpose. */
    facts: typeAs<Record<string, unknown>>({
      type: Schema.Types.Mixed,
      default: {},
      immutable: true,
    }),
    /** Number of attempts, successful or not. */
    attempts: { type: Number, default: 0 },
    /** When the token was used or revoked; null: neither. */
    spentAt: { type: Date, default: null },
    expiresAt: { type: Date, required: true, immutable: true },
  },
  { timestamps: CREATED, minimize: false, ofNoTenant: true },
);
export interface OneTimeTokenDocument extends DocumentOf<typeof oneTimeTokenSchema> {}
oneTimeTokenSchema.index({ tokenHash: 1 }, { name: 'hash', unique: true });
oneTimeTokenSchema.index({ userId: 1, spentAt: 1 }, { name: 'user' });
oneTimeTokenSchema.index({ email: 1, purpose: 1 }, { name: 'email' });
oneTimeTokenSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
