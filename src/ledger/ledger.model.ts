// The base model of the decision ledger; its kinds are discriminators (ledger.md, the document).
import { Schema, Types } from 'mongoose';
import { tenancy } from '../platform/mongo/tenancy.ts';
import { chainIndexes, DECISIONS } from './chains.ts';
import type { Sealed } from './entry.ts';

const text = { type: String, required: true, immutable: true } as const;
const number = { type: Number, required: true, immutable: true } as const;

/** What the schemas of the kinds repeat: `{}` is kept, nothing undeclared gets in, the entry's own time stamp counts. */
export const entrySchemaOptions = {
  discriminatorKey: 'kind',
  minimize: false,
  strict: true,
  versionKey: false,
  timestamps: false,
  autoIndex: false,
} as const;

/** What a decision stores besides what every entry has, for the index that recognises repetitions. */
export interface LedgerEntryDocument extends Sealed {
  /** 16 bytes; removed after 24 hours. */
  idempotencyKey?: Buffer;
}

/** Read side of the decision ledger; entries are written by the appender and updated by the fold alone. */
export const ledgerEntrySchema = new Schema<LedgerEntryDocument>(
  {
    sequence: number,
    traceId: { type: String, default: null, immutable: true },
    after: { type: Number, immutable: true },
    prevHash: text,
    payloadDigest: text,
    chainHash: text,
    createdAt: { type: Date, required: true, immutable: true },
    view: text,
    usage: { type: new Schema({ month: text, count: number }, { _id: false }), immutable: true },
    idempotencyKey: { type: Buffer },
  },
  { ...entrySchemaOptions, collection: DECISIONS.collection },
);
ledgerEntrySchema.plugin(tenancy);
for (const { key, options } of chainIndexes(DECISIONS)) ledgerEntrySchema.index(key, options);

/** A database id from its 24 hex digits. */
export function objectId(hex: string): Types.ObjectId {
  return new Types.ObjectId(hex);
}
