// The result of the last verification of an organisation's chain, for its status (document 2, section 4.5).
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';
import type { BrokenReason, VerifiedPosition } from '../../ledger/verify/report.ts';

export interface ChainVerificationDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  verifiedAt: Date;
  /** When the verification began whose result this is; absent in results of earlier versions. */
  startedAt?: Date;
  ok: boolean;
  totalChecked: number;
  /** The highest sequence that a verification without findings has seen; a later one must reach it. */
  reached: number;
  /** End of the newest verification without findings; null if there is none or a later one had findings. */
  position: VerifiedPosition | null;
  brokenAtSequence: number | null;
  brokenReason: BrokenReason | null;
}

export const chainVerificationSchema = new Schema<ChainVerificationDocument>(
  {
    verifiedAt: { type: Date, required: true },
    startedAt: Date,
    ok: { type: Boolean, required: true },
    totalChecked: { type: Number, required: true },
    reached: { type: Number, default: 0 },
    position: { type: Schema.Types.Mixed, default: null },
    brokenAtSequence: { type: Number, default: null },
    brokenReason: { type: String, default: null },
  },
  { collection: 'chain_verifications', autoIndex: false },
);
chainVerificationSchema.plugin(guardTenancy);
chainVerificationSchema.index({ organizationId: 1 }, { name: 'organization', unique: true });
