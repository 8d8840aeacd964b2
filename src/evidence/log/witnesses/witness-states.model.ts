// The size that each witness of the heads log has confirmed last; the next request begins there.
import { Schema } from 'mongoose';

export interface WitnessStateDocument {
  /** The witness's verifier key. */
  _id: string;
  size: number;
  at: Date;
  /** Why the last request failed; null: it did not. */
  error: string | null;
  /** When it objected without having signed anything else; it is not asked for some time. */
  stoppedAt?: Date | null;
}

export const witnessStateSchema = new Schema<WitnessStateDocument>(
  {
    _id: { type: String, required: true },
    size: { type: Number, default: 0 },
    at: { type: Date, required: true },
    error: { type: String, default: null },
    stoppedAt: { type: Date, default: null },
  },
  { collection: 'witness_states', autoIndex: false, versionKey: false },
);
