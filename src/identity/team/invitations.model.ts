// Invitations: pending until accepted, revoked or expired; only the digest of the token is stored.
import { Schema } from 'mongoose';
import { ROLES } from '../../domain/identity/roles.ts';
import { defineCollection, type DocumentOf } from '../../platform/mongo/collection.ts';

/** An invitation can be read this long after its end. */
const KEPT_SECONDS = 90 * 24 * 3600;

export const invitationSchema = defineCollection(
  'invitations',
  {
    /** Lower-cased. */
    email: { type: String, required: true, immutable: true },
    role: { type: String, enum: ROLES, required: true, immutable: true },
    tokenHash: { type: String, required: true },
    invitedBy: { type: Schema.Types.ObjectId, required: true, immutable: true },
    /** The inviter's address when the invitation was created. */
    inviterEmail: { type: String, required: true },
    expiresAt: { type: Date, required: true },
    acceptedAt: { type: Date, default: null },
    revokedAt: { type: Date, default: null },
    /** Password attempts by the holder of the token, since the mail was last sent. */
    attempts: { type: Number, default: 0 },
    /** The most recent times at which its mail was sent. */
    sentAt: { type: [Date], default: [] },
  },
  { timestamps: true },
);
export interface InvitationDocument extends DocumentOf<typeof invitationSchema> {}
invitationSchema.index({ tokenHash: 1 }, { name: 'token', unique: true });
invitationSchema.index({ organizationId: 1, createdAt: -1 }, { name: 'list' });
invitationSchema.index({ organizationId: 1, sentAt: -1 }, { name: 'sent' });
invitationSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
