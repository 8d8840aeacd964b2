// Patterns of held decisions with their consecutive approvals, counted by a consumer; they hold no decision's content.
import { defineCollection, type DocumentOf, typeAs } from '../../../platform/mongo/collection.ts';

const KEPT_SECONDS = 90 * 24 * 3600;

export const decisionPatternSchema = defineCollection('decision_patterns', {
  workspaceId: { type: String, required: true },
  agentId: { type: String, required: true },
  /** Keyed hash of the pattern's text. */
  key: { type: String, required: true },
  /** Ids of the policies that matched. */
  policyIds: [String],
  /** The decision that was judged last. */
  exampleTraceId: { type: String, required: true },
  /** Approvals since the newest objection. */
  approvals: { type: Number, required: true },
  /** The first of them. */
  since: typeAs<Date | null | undefined>(Date),
  lastVerdictAt: { type: Date, required: true },
  /** The sequence of the newest verdict that is counted. */
  countedTo: { type: Number, required: true },
});
export interface DecisionPatternDocument extends DocumentOf<typeof decisionPatternSchema> {}
decisionPatternSchema.index({ organizationId: 1, key: 1 }, { name: 'pattern', unique: true });
decisionPatternSchema.index({ organizationId: 1, lastVerdictAt: -1 }, { name: 'newest' });
decisionPatternSchema.index(
  { lastVerdictAt: 1 },
  { name: 'expiry', expireAfterSeconds: KEPT_SECONDS },
);
