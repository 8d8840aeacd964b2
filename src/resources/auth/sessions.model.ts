// One row per session token: the list of what is active, and with `revokedAt` the blacklist.
import { Schema, type Types } from 'mongoose';

export interface SessionDocument {
  _id: Types.ObjectId;
  jti: string;
  userId: Types.ObjectId;
  organizationId: Types.ObjectId;
  ip: string | null;
  userAgent: string | null;
  expiresAt: Date;
  revokedAt: Date | null;
  createdAt: Date;
}

/** A revoked session is told from an expired one for 30 days after its end. */
const KEPT_SECONDS = 30 * 24 * 3600;

export const sessionSchema = new Schema<SessionDocument>(
  {
    jti: { type: String, required: true, immutable: true },
    userId: { type: Schema.Types.ObjectId, required: true, immutable: true },
    organizationId: { type: Schema.Types.ObjectId, required: true, immutable: true },
    ip: { type: String, default: null },
    userAgent: { type: String, default: null },
    expiresAt: { type: Date, required: true },
    revokedAt: { type: Date, default: null },
  },
  { collection: 'sessions', timestamps: { createdAt: true, updatedAt: false }, autoIndex: false },
);
sessionSchema.index({ jti: 1 }, { name: 'jti', unique: true });
sessionSchema.index({ userId: 1, expiresAt: -1 }, { name: 'user' });
sessionSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
