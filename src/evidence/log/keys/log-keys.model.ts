// The keys that sign checkpoints and promises; private halves are encrypted by a key outside the database.
import { Schema } from 'mongoose';

/** `log` signs checkpoints, `promise` promises, `witness` the checkpoints of other logs. */
export type LogKeyPurpose = 'log' | 'promise' | 'witness';

export interface LogKeyDocument {
  _id: LogKeyPurpose;
  /** The host in all names of the installation's logs; it never changes. */
  host: string;
  /** Base64 of the 32 bytes. */
  publicKey: string;
  /** The encrypted private key; null: the operator gives it. */
  sealed: string | null;
  /** Keys that signed before, base64. */
  former: string[];
  createdAt: Date;
}

export const logKeySchema = new Schema<LogKeyDocument>(
  {
    _id: { type: String, required: true } as never,
    host: { type: String, required: true, immutable: true },
    publicKey: { type: String, required: true },
    sealed: { type: String, default: null },
    former: { type: [String], default: [] },
    createdAt: { type: Date, required: true, immutable: true },
  },
  { collection: 'log_keys', autoIndex: false, versionKey: false },
);
