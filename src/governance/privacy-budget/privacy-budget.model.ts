// The privacy budget of an organisation: caps and spent amounts of a window (document 3, section 2).
import { Schema } from 'mongoose';
import { defineCollection, type DocumentOf, typeAs } from '../../platform/mongo/collection.ts';

const nanos = { type: Number, required: true } as const;

export const privacyBudgetSchema = defineCollection(
  'privacy_budgets',
  {
    epsilonCap: nanos,
    epsilonSpent: nanos,
    deltaCap: nanos,
    deltaSpent: nanos,
    windowDurationMs: nanos,
    windowStartedAt: { type: Date, required: true },
    windowResetsAt: { type: Date, required: true },
    /** Epsilon by purpose. */
    spendByPurpose: typeAs<Record<string, number>>({ type: Schema.Types.Mixed, required: true }),
    /** Epsilon by day (UTC); absent until the first spend of a window. */
    spendByDay: typeAs<Record<string, number> | undefined>(Schema.Types.Mixed),
    isPaused: { type: Boolean, required: true },
  },
  { timestamps: true, minimize: false },
);
/** All amounts are in whole billionths. */
export interface PrivacyBudgetDocument extends DocumentOf<typeof privacyBudgetSchema> {}
privacyBudgetSchema.index({ organizationId: 1 }, { name: 'organization', unique: true });
