// Invitations: pending until accepted, revoked or expired; only the digest of the token is stored.
import { Schema, type Types } from 'mongoose';
import { ROLES, type Role } from '../../domain/identity/roles.ts';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export interface InvitationDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** Lower-cased. */
  email: string;
  role: Role;
  tokenHash: string;
  invitedBy: Types.ObjectId;
  /** The inviter's address when the invitation was created. */
  inviterEmail: string;
  expiresAt: Date;
  acceptedAt: Date | null;
  revokedAt: Date | null;
  /** Password attempts by the holder of the token, since the mail was last sent. */
  attempts: number;
  /** The most recent times at which its mail was sent. */
  sentAt: Date[];
  createdAt: Date;
  updatedAt: Date;
}

/** An invitation can be read this long after its end. */
const KEPT_SECONDS = 90 * 24 * 3600;

export const invitationSchema = new Schema<InvitationDocument>(
  {
    email: { type: String, required: true, immutable: true },
    role: { type: String, enum: ROLES, required: true, immutable: true },
    tokenHash: { type: String, required: true },
    invitedBy: { type: Schema.Types.ObjectId, required: true, immutable: true },
    inviterEmail: { type: String, required: true },
    expiresAt: { type: Date, required: true },
    acceptedAt: { type: Date, default: null },
    revokedAt: { type: Date, default: null },
    attempts: { type: Number, default: 0 },
    sentAt: { type: [Date], default: [] },
  },
  { collection: 'invitations', timestamps: true, autoIndex: false },
);
invitationSchema.plugin(guardTenancy);
invitationSchema.index({ tokenHash: 1 }, { name: 'token', unique: true });
invitationSchema.index({ organizationId: 1, createdAt: -1 }, { name: 'list' });
invitationSchema.index({ organizationId: 1, sentAt: -1 }, { name: 'sent' });
invitationSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
