// The newest checkpoint that this installation has signed as a witness, by log.
import { Schema } from 'mongoose';

export interface WitnessedLogDocument {
  /** The origin of the log. */
  _id: string;
  size: number;
  /** Hex. */
  root: string;
  /** The checkpoint as it was received, without our signature. */
  note: string;
  /** Our signature line. */
  line: string;
  at: Date;
}

export const witnessedLogSchema = new Schema<WitnessedLogDocument>(
  {
    _id: { type: String, required: true },
    size: { type: Number, required: true },
    root: { type: String, required: true },
    note: { type: String, required: true },
    line: { type: String, required: true },
    at: { type: Date, required: true },
  },
  { collection: 'witnessed_logs', autoIndex: false, versionKey: false },
);
