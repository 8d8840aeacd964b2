// What the search finds decisions by: their rationale and their triggering condition as blind words (docs/security.md).
import { Schema, type Types } from 'mongoose';
import { tenancy } from '../../../platform/mongo/tenancy.ts';

export interface DecisionSearchDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** Of the entry that ingested the decision. */
  sequence: number;
  generation: number;
  traceId: string;
  /** Blind words; that of the newest correction. */
  rationale: string;
  triggeringCondition: string;
}

export const decisionSearchSchema = new Schema<DecisionSearchDocument>(
  {
    sequence: Number,
    generation: Number,
    traceId: String,
    rationale: String,
    triggeringCondition: String,
  },
  { collection: 'decision_searches', autoIndex: false, versionKey: false },
);
decisionSearchSchema.plugin(tenancy);
decisionSearchSchema.index({ organizationId: 1, traceId: 1 }, { name: 'decision', unique: true });
decisionSearchSchema.index(
  { organizationId: 1, rationale: 'text', triggeringCondition: 'text' },
  { name: 'search', default_language: 'none', language_override: 'searchLanguage' },
);
