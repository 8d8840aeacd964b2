// The result of the last verification of an organisation's chain, for its status (document 2, section 4.5).
import { Schema } from 'mongoose';
import type { BrokenReason, VerifiedPosition } from '../../ledger/verify/report.ts';
import { defineCollection, type DocumentOf, typeAs } from '../../platform/mongo/collection.ts';

export const chainVerificationSchema = defineCollection('chain_verifications', {
  verifiedAt: { type: Date, required: true },
  /** When the verification began whose result this is; absent in results of earlier versions. */
  startedAt: Date,
  ok: { type: Boolean, required: true },
  totalChecked: { type: Number, required: true },
  /** The highest sequence that a verification without findings has seen; a later one must reach it. */
  reached: { type: Number, default: 0 },
  /** End of the newest verification without findings; null if there is none or a later one had findings. */
  position: typeAs<VerifiedPosition | null>({ type: Schema.Types.Mixed, default: null }),
  brokenAtSequence: { type: Number, default: null },
  brokenReason: typeAs<BrokenReason | null>({ type: String, default: null }),
});
export interface ChainVerificationDocument extends DocumentOf<typeof chainVerificationSchema> {}
chainVerificationSchema.index({ organizationId: 1 }, { name: 'organization', unique: true });
