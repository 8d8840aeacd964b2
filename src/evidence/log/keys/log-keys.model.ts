// The keys that sign checkpoints and promises; private halves are encrypted by a key outside the database.
import { defineCollection, type DocumentOf, typeAs } from '../../../platform/mongo/collection.ts';

/** `log` signs checkpoints, `promise` promises, `witness` the checkpoints of other logs. */
export type LogKeyPurpose = 'log' | 'promise' | 'witness';

export const logKeySchema = defineCollection(
  'log_keys',
  {
    _id: typeAs<LogKeyPurpose>({ type: String, required: true }),
    /** The host in all names of the installation's logs; it never changes. */
    host: { type: String, required: true, immutable: true },
    /** Base64 of the 32 bytes. */
    publicKey: { type: String, required: true },
    /** The encrypted private key; null: the operator gives it. */
    sealed: { type: String, default: null },
    /** Keys that signed before, base64. */
    former: { type: [String], default: [] },
    createdAt: { type: Date, required: true, immutable: true },
  },
  { versionKey: false, ofNoTenant: true },
);
export interface LogKeyDocument extends DocumentOf<typeof logKeySchema> {}
