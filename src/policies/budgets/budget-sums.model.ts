// What is spent of limits, for lists: each sum as the newest entry that changed it says.
import { Schema } from 'mongoose';
import { LIMIT_SCOPES, LIMIT_WINDOW_NAMES } from '@assay/policy';
import type { WindowSlot } from '../../domain/budgets/spending.ts';
import { defineCollection, type DocumentOf, typeAs } from '../../platform/mongo/collection.ts';

export const budgetSumSchema = defineCollection('budget_sums', {
  /** The id of the policy, a colon, and 22 characters. */
  key: { type: String, required: true },
  policyId: { type: Schema.Types.ObjectId, required: true },
  of: { type: String, required: true },
  per: { type: String, enum: LIMIT_SCOPES, required: true },
  window: { type: String, enum: LIMIT_WINDOW_NAMES, required: true },
  slots: { ...typeAs<WindowSlot[]>({ type: Array }), required: true },
  /** The entry, when it was sealed, and the decision that it is about. */
  sequence: { type: Number, required: true },
  changedAt: { type: Date, required: true },
  traceId: { type: String, required: true },
});
/** Written by a consumer of the ledger; what decides is the chain. */
export interface BudgetSumDocument extends DocumentOf<typeof budgetSumSchema> {}
budgetSumSchema.index({ organizationId: 1, key: 1 }, { name: 'key', unique: true });
budgetSumSchema.index({ organizationId: 1, policyId: 1, sequence: -1 }, { name: 'newest' });
