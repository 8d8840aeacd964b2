// The size that each witness of the heads log has confirmed last; the next request begins there.
import {
  allowAbsent,
  defineCollection,
  type DocumentOf,
} from '../../../platform/mongo/collection.ts';

export const witnessStateSchema = defineCollection(
  'witness_states',
  {
    /** The witness's verifier key. */
    _id: { type: String, required: true },
    size: { type: Number, default: 0 },
    at: { type: Date, required: true },
    /** Why the last request failed; null: it did not. */
    error: { type: String, default: null },
    /** When it objected without having signed anything else; it is not asked for some time. */
    stoppedAt: allowAbsent({ type: Date, default: null }),
  },
  { versionKey: false, ofNoTenant: true },
);
export interface WitnessStateDocument extends DocumentOf<typeof witnessStateSchema> {}
