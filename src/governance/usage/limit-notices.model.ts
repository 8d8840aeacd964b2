// Records that managers were notified of a limit, once per month and number of decisions.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export interface LimitNoticeDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** `YYYY-MM`. */
  month: string;
  /** The number of decisions that was reached. */
  threshold: number;
  createdAt: Date;
}

/** Kept longer than any month that is still counted. */
const KEPT_SECONDS = 70 * 24 * 3600;

export const limitNoticeSchema = new Schema<LimitNoticeDocument>(
  {
    month: { type: String, required: true, immutable: true },
    threshold: { type: Number, required: true, immutable: true },
  },
  {
    collection: 'limit_notices',
    timestamps: { createdAt: true, updatedAt: false },
    autoIndex: false,
  },
);
limitNoticeSchema.plugin(guardTenancy);
limitNoticeSchema.index(
  { organizationId: 1, month: 1, threshold: 1 },
  { name: 'once', unique: true },
);
limitNoticeSchema.index({ createdAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
