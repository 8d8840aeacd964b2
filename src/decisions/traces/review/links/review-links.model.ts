// One-time links to decide a held decision: bound to the item, to the action that was shown, and to a person or a receiver.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../../../platform/mongo/tenancy.ts';

export interface ReviewLinkDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** SHA-256 of the token. */
  tokenHash: string;
  traceId: string;
  reviewId: Types.ObjectId;
  /** Digest of the action that was shown; null: none was kept. */
  actionDigest: string | null;
  /** Whom it was sent to; null: a chat, where any reviewer may use it, signed in. */
  userId: Types.ObjectId | null;
  /** The alert rule or webhook that it was sent by; null: a mail. */
  receiver: string | null;
  /** When a verdict was given by it; null: not yet. */
  spentAt: Date | null;
  expiresAt: Date;
  createdAt: Date;
}

/** Afterwards the link no longer says what was decided. */
const KEPT_SECONDS = 30 * 24 * 3600;

export const reviewLinkSchema = new Schema<ReviewLinkDocument>(
  {
    tokenHash: { type: String, required: true, immutable: true },
    traceId: { type: String, required: true, immutable: true },
    reviewId: { type: Schema.Types.ObjectId, required: true, immutable: true },
    actionDigest: { type: String, default: null, immutable: true },
    userId: { type: Schema.Types.ObjectId, default: null, immutable: true },
    receiver: { type: String, default: null, immutable: true },
    spentAt: { type: Date, default: null },
    expiresAt: { type: Date, required: true, immutable: true },
  },
  {
    collection: 'review_links',
    timestamps: { createdAt: true, updatedAt: false },
    autoIndex: false,
  },
);
reviewLinkSchema.plugin(guardTenancy);
reviewLinkSchema.index({ tokenHash: 1 }, { name: 'hash', unique: true });
reviewLinkSchema.index({ organizationId: 1, traceId: 1 }, { name: 'decision' });
reviewLinkSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
