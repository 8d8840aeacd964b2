// Requests to let go on what is halted: each waits for a second person.
import { Schema } from 'mongoose';
import { defineCollection, type DocumentOf } from '../../platform/mongo/collection.ts';

export const haltResumptionSchema = defineCollection('halt_resumptions', {
  haltId: { type: String, required: true },
  /** The entry that it answers: after another one it is void. */
  sequence: { type: Number, required: true },
  to: { type: String, enum: ['watched', 'resumed'] as const, required: true },
  by: { type: Schema.Types.ObjectId, required: true },
  at: { type: Date, required: true },
});
export interface HaltResumptionDocument extends DocumentOf<typeof haltResumptionSchema> {}
haltResumptionSchema.index({ organizationId: 1, haltId: 1 }, { name: 'halt', unique: true });
