// Records that managers were notified of a limit, once per month and number of decisions.
import { CREATED, defineCollection } from '../../platform/mongo/collection.ts';

/** Kept longer than any month that is still counted. */
const KEPT_SECONDS = 70 * 24 * 3600;

export const limitNoticeSchema = defineCollection(
  'limit_notices',
  {
    /** `YYYY-MM`. */
    month: { type: String, required: true, immutable: true },
    /** The number of decisions that was reached. */
    threshold: { type: Number, required: true, immutable: true },
  },
  { timestamps: CREATED },
);
limitNoticeSchema.index(
  { organizationId: 1, month: 1, threshold: 1 },
  { name: 'once', unique: true },
);
limitNoticeSchema.index({ createdAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
