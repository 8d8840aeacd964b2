// One-time links to decide a held decision: bound to the item, to the action that was shown, and to a person or a receiver.
import { Schema } from 'mongoose';
import {
  CREATED,
  defineCollection,
  type DocumentOf,
} from '../../../../platform/mongo/collection.ts';

/** Afterwards the link no longer says what was decided. */
const KEPT_SECONDS = 30 * 24 * 3600;

export const reviewLinkSchema = defineCollection(
  'review_links',
  {
    /** SHA-256 of the token. */
    tokenHash: { type: String, required: true, immutable: true },
    traceId: { type: String, required: true, immutable: true },
    reviewId: { type: Schema.Types.ObjectId, required: true, immutable: true },
    /** Digest of the action that was shown; null: none was kept. */
    actionDigest: { type: String, default: null, immutable: true },
    /** Whom it was sent to; null: a chat, where any reviewer may use it, signed in. */
    userId: { type: Schema.Types.ObjectId, default: null, immutable: true },
    /** The alert rule or webhook that it was sent by; null: a mail. */
    receiver: { type: String, default: null, immutable: true },
    /** When a verdict was given by it; null: not yet. */
    spentAt: { type: Date, default: null },
    expiresAt: { type: Date, required: true, immutable: true },
  },
  { timestamps: CREATED },
);
export interface ReviewLinkDocument extends DocumentOf<typeof reviewLinkSchema> {}
reviewLinkSchema.index({ tokenHash: 1 }, { name: 'hash', unique: true });
reviewLinkSchema.index({ organizationId: 1, traceId: 1 }, { name: 'decision' });
reviewLinkSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
