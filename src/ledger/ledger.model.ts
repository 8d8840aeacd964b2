// The base schema of the decision ledger; its kinds are discriminators (ledger.md, a document).
import { Schema, Types } from 'mongoose';
import { guardTenancy } from '../platform/mongo/tenancy.ts';
import {
  APPROVALS_INDEX,
  listChainIndexes,
  DECISIONS,
  SPENT_INDEX,
  SESSION_INDEX,
} from './chains.ts';
import type { Sealed } from './entry.ts';

const text = { type: String, required: true, immutable: true } as const;
const number = { type: Number, required: true, immutable: true } as const;

/** Schema options of every kind: `{}` is kept, undeclared members are dropped, no time stamps but the entry's own. */
export const entrySchemaOptions = {
  discriminatorKey: 'kind',
  minimize: false,
  strict: true,
  versionKey: false,
  timestamps: false,
  autoIndex: false,
} as const;

/** A ledger entry as its base schema reads it. */
export interface LedgerEntryDocument extends Sealed {
  /** 16 bytes, of decisions and attestations; removed after 24 hours. */
  idempotencyKey?: Buffer;
  /** The stored values, encrypted (`contents/contents.ts`). */
  content?: Buffer;
  /** Generation of the key that encrypts them; absent: the first. */
  generation?: number;
}

/** Read side of the decision ledger: only the appender MUST write entries, and only the fold MUST update them. */
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
    control: { type: Number, immutable: true },
    spent: { type: [Object], default: undefined, immutable: true },
    session: { type: Object, immutable: true },
    idempotencyKey: { type: Buffer },
    content: { type: Buffer },
    generation: { type: Number },
  },
  { ...entrySchemaOptions, collection: DECISIONS.collection },
);
ledgerEntrySchema.plugin(guardTenancy);
for (const { key, options } of listChainIndexes(DECISIONS)) ledgerEntrySchema.index(key, options);
for (const { key, name, partialFilterExpression } of [SPENT_INDEX, SESSION_INDEX, APPROVALS_INDEX])
  ledgerEntrySchema.index(key, { name, partialFilterExpression });
ledgerEntrySchema.index(
  { organizationId: 1, kind: 1, createdAt: -1 },
  {
    name: 'verdicts',
    partialFilterExpression: { kind: { $in: ['correction', 'review'] } },
  },
);

/** Makes an ObjectId of 24 hex digits. */
export function toObjectId(hex: string): Types.ObjectId {
  return new Types.ObjectId(hex);
}

export const isObjectId = (value: unknown): value is Types.ObjectId =>
  value instanceof Types.ObjectId;
