// The privacy budget of an organisation: caps and spent amounts of a window (document 3, section 2).
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

/** All amounts are in whole billionths. */
export interface PrivacyBudgetDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  epsilonCap: number;
  epsilonSpent: number;
  deltaCap: number;
  deltaSpent: number;
  windowDurationMs: number;
  windowStartedAt: Date;
  windowResetsAt: Date;
  /** Epsilon by purpose. */
  spendByPurpose: Record<string, number>;
  /** Epsilon by day (UTC); absent until the first spend of a window. */
  spendByDay?: Record<string, number>;
  isPaused: boolean;
  createdAt: Date;
  updatedAt: Date;
}

const nanos = { type: Number, required: true };

export const privacyBudgetSchema = new Schema<PrivacyBudgetDocument>(
  {
    epsilonCap: nanos,
    epsilonSpent: nanos,
    deltaCap: nanos,
    deltaSpent: nanos,
    windowDurationMs: nanos,
    windowStartedAt: { type: Date, required: true },
    windowResetsAt: { type: Date, required: true },
    spendByPurpose: { type: Schema.Types.Mixed, required: true },
    spendByDay: Schema.Types.Mixed,
    isPaused: { type: Boolean, required: true },
  },
  { collection: 'privacy_budgets', timestamps: true, autoIndex: false, minimize: false },
);
privacyBudgetSchema.plugin(guardTenancy);
privacyBudgetSchema.index({ organizationId: 1 }, { name: 'organization', unique: true });
