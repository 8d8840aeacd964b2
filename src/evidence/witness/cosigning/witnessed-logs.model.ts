// The newest checkpoint that this installation has signed as a witness, by log.
import { defineCollection, type DocumentOf } from '../../../platform/mongo/collection.ts';

export const witnessedLogSchema = defineCollection(
  'witnessed_logs',
  {
    /** The origin of the log. */
    _id: { type: String, required: true },
    size: { type: Number, required: true },
    /** Hex. */
    root: { type: String, required: true },
    /** The checkpoint as it was received, without our signature. */
    note: { type: String, required: true },
    /** Our signature line. */
    line: { type: String, required: true },
    at: { type: Date, required: true },
  },
  { versionKey: false, ofNoTenant: true },
);
export interface WitnessedLogDocument extends DocumentOf<typeof witnessedLogSchema> {}
