// The daily counts behind the index: one row a day and workspace, written by a consumer; deleted after 60 days.
import { Schema, type Types } from 'mongoose';
import type { JudgedCounts } from '../../domain/cpi.ts';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

/** The decisions of a day that had the same verdict at ingestion. */
export interface Band {
  count: number;
  /** The sum of their scores in ten-thousandths, so that it is exact. */
  confidence: number;
}

export const BANDS = ['approved', 'flagged', 'blocked'] as const;

export interface CpiDayDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  workspaceId: string;
  /** Midnight, UTC. */
  day: Date;
  decisions: Record<(typeof BANDS)[number], Band>;
  /** Counted on the day of the verdict. */
  judged: JudgedCounts;
}

const KEPT_SECONDS = 60 * 24 * 3600;
const count = { type: Number, default: 0 };
const band = { count, confidence: count };

export const cpiDaySchema = new Schema<CpiDayDocument>(
  {
    workspaceId: { type: String, required: true },
    day: { type: Date, required: true },
    decisions: { approved: band, flagged: band, blocked: band },
    judged: {
      correctFlags: count,
      falseFlags: count,
      misses: count,
      confirmations: count,
      overridden: count,
    },
  },
  { collection: 'cpi_days', autoIndex: false },
);
cpiDaySchema.plugin(guardTenancy);
cpiDaySchema.index({ organizationId: 1, day: 1, workspaceId: 1 }, { name: 'day', unique: true });
cpiDaySchema.index({ day: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
