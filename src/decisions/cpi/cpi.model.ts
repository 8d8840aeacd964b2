// The daily counts behind the index: one row a day and workspace, written by a consumer; deleted after 60 days.
import { defineCollection, type DocumentOf } from '../../platform/mongo/collection.ts';

/** The decisions of a day that had the same verdict at ingestion. */
export interface Band {
  count: number;
  /** The sum of their scores in ten-thousandths, so that it is exact. */
  confidence: number;
}

const KEPT_SECONDS = 60 * 24 * 3600;
const count = { type: Number, default: 0 } as const;
const band = { count, confidence: count };

export const cpiDaySchema = defineCollection('cpi_days', {
  workspaceId: { type: String, required: true },
  /** Midnight, UTC. */
  day: { type: Date, required: true },
  decisions: { approved: band, flagged: band, blocked: band },
  /** Counted on the day of the verdict. */
  judged: {
    /** Held, then rejected or corrected. */
    correctFlags: count,
    /** Held, then approved. */
    falseFlags: count,
    /** Passed, then corrected. */
    misses: count,
    /** Passed, then approved. */
    confirmations: count,
    /** All reviewed decisions whose verdict was an override. */
    overridden: count,
  },
});
export interface CpiDayDocument extends DocumentOf<typeof cpiDaySchema> {}
cpiDaySchema.index({ organizationId: 1, day: 1, workspaceId: 1 }, { name: 'day', unique: true });
cpiDaySchema.index({ day: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
