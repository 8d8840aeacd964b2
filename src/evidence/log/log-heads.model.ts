// Signed tree heads of logs, shown as anchors, and the leaves of the heads log, one for each signed head.
import { Schema } from 'mongoose';
import { guardRows } from '../../ledger/log/guard-rows.ts';
import { TREE_HEAD_MEMBERS, LEAF_MEMBERS } from '../../ledger/log/stored-rows.ts';
import { defineCollection, definePart, type DocumentOf } from '../../platform/mongo/collection.ts';

const fixedText = { type: String, required: true, immutable: true } as const;
const fixedNumber = { type: Number, required: true, immutable: true } as const;

/** A verified signature of a witness. */
const cosignatureSchema = definePart({
  /** The witness's verifier key. */
  witness: fixedText,
  /** The signature line without its line feed. */
  line: fixedText,
  at: { type: Date, required: true, immutable: true },
});

/** A verified time stamp of the text of a checkpoint (RFC 3161). */
const stampSchema = definePart({
  /** The TimeStampToken in DER. */
  token: { type: Buffer, required: true, immutable: true },
  issuer: fixedText,
  issuedAt: { type: Date, required: true, immutable: true },
  /** Hex. */
  serial: fixedText,
});

export const logHeadSchema = defineCollection(
  'log_heads',
  {
    logId: fixedText,
    size: fixedNumber,
    /** Hex. */
    root: fixedText,
    /** The checkpoint with the log's own signature. */
    note: fixedText,
    at: { type: Date, required: true, immutable: true },
    /** Its leaf in the heads log; null for the heads log itself. */
    headsIndex: { type: Number, default: null, immutable: true },
    cosignatures: [cosignatureSchema],
    /** Only heads of the heads log are stamped; null: this one is not. */
    stamp: { type: stampSchema, default: null },
  },
  { versionKey: false },
);
/** A signed tree head; its id is that of the anchor. */
export interface LogHeadDocument extends DocumentOf<typeof logHeadSchema> {}
logHeadSchema.plugin(guardRows, TREE_HEAD_MEMBERS);
logHeadSchema.index({ organizationId: 1, logId: 1, size: 1 }, { name: 'size', unique: true });
logHeadSchema.index(
  { organizationId: 1, logId: 1, size: 1, 'stamp.serial': 1 },
  { name: 'stamped', partialFilterExpression: { 'stamp.serial': { $exists: true } } },
);

export const headsLeafSchema = defineCollection(
  'heads_leaves',
  {
    /** The index of the leaf. */
    _id: fixedNumber,
    /** 64 bytes. */
    data: { type: Buffer, required: true, immutable: true },
    headId: { type: Schema.Types.ObjectId, required: true, immutable: true },
  },
  { versionKey: false, ofNoTenant: true },
);
export interface HeadsLeafDocument extends DocumentOf<typeof headsLeafSchema> {}
headsLeafSchema.plugin(guardRows, LEAF_MEMBERS);
headsLeafSchema.index({ data: 1 }, { name: 'data' });
