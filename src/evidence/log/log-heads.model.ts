// Signed tree heads of logs, shown as anchors, and the leaves of the heads log, one for each signed head.
import { Schema, type Types } from 'mongoose';
import { guardRows } from '../../ledger/log/guard-rows.ts';
import { HEAD_MEMBERS, LEAF_MEMBERS } from '../../ledger/log/stored-rows.ts';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

/** A verified signature of a witness. */
export interface Cosignature {
  /** The witness's verifier key. */
  witness: string;
  /** The signature line without its line feed. */
  line: string;
  at: Date;
}

/** A verified time stamp of the text of a checkpoint (RFC 3161). */
export interface HeadStamp {
  /** The TimeStampToken in DER. */
  token: Buffer;
  issuer: string;
  issuedAt: Date;
  /** Hex. */
  serial: string;
}

export interface LogHeadDocument {
  /** The anchor id. */
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  logId: string;
  size: number;
  /** Hex. */
  root: string;
  /** The checkpoint with the log's own signature. */
  note: string;
  at: Date;
  /** Its leaf in the heads log; null for the heads log itself. */
  headsIndex: number | null;
  cosignatures: Cosignature[];
  /** Only heads of the heads log are stamped; null: this one is not. */
  stamp: HeadStamp | null;
}

export interface HeadsLeafDocument {
  /** The index of the leaf. */
  _id: number;
  /** 64 bytes. */
  data: Buffer;
  headId: Types.ObjectId;
}

const fixedText = { type: String, required: true, immutable: true };
const fixedNumber = { type: Number, required: true, immutable: true };

const cosignatureSchema = new Schema<Cosignature>(
  { witness: fixedText, line: fixedText, at: { type: Date, required: true, immutable: true } },
  { _id: false },
);

const stampSchema = new Schema<HeadStamp>(
  {
    token: { type: Buffer, required: true, immutable: true },
    issuer: fixedText,
    issuedAt: { type: Date, required: true, immutable: true },
    serial: fixedText,
  },
  { _id: false },
);

export const logHeadSchema = new Schema<LogHeadDocument>(
  {
    logId: fixedText,
    size: fixedNumber,
    root: fixedText,
    note: fixedText,
    at: { type: Date, required: true, immutable: true },
    headsIndex: { type: Number, default: null, immutable: true },
    cosignatures: [cosignatureSchema],
    stamp: { type: stampSchema, default: null },
  },
  { collection: 'log_heads', autoIndex: false, versionKey: false },
);
logHeadSchema.plugin(guardTenancy);
logHeadSchema.plugin(guardRows, HEAD_MEMBERS);
logHeadSchema.index({ organizationId: 1, logId: 1, size: 1 }, { name: 'size', unique: true });
logHeadSchema.index(
  { organizationId: 1, logId: 1, size: 1, 'stamp.serial': 1 },
  { name: 'stamped', partialFilterExpression: { 'stamp.serial': { $exists: true } } },
);

export const headsLeafSchema = new Schema<HeadsLeafDocument>(
  {
    _id: fixedNumber,
    data: { type: Buffer, required: true, immutable: true },
    headId: { type: Schema.Types.ObjectId, required: true, immutable: true },
  },
  { collection: 'heads_leaves', autoIndex: false, versionKey: false },
);
headsLeafSchema.plugin(guardRows, LEAF_MEMBERS);
headsLeafSchema.index({ data: 1 }, { name: 'data' });
