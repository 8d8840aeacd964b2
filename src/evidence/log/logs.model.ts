// Witnessed logs: one for each chain of an organisation, and the heads log of the installation; with their tiles.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

/** The chain that a log is about; `heads`: the log of the checkpoints of all other logs. */
export type LogChain = 'ledger' | 'audit' | 'heads';

export interface LogDocument {
  /** 32 hex digits, made once; `heads` for the heads log. */
  _id: string;
  organizationId: Types.ObjectId;
  chain: LogChain;
  /** Counted from 1: a log that cannot go on is followed by another one of the same chain. */
  generation: number;
  /** The name of the log and of its key; it never changes. */
  origin: string;
  createdAt: Date;
  /** Leaves of the newest signed tree. */
  size: number;
  /** Hex root of that tree. */
  root: string;
  /** The chain hash of its last leaf; empty: there is none, or the leaves are no chain hashes. */
  head: string;
  headId: Types.ObjectId | null;
  sealedAt: Date | null;
  /** The hashes of the partial tile of each level. */
  levels: Buffer[];
  /** The size of the heads log that enough witnesses have signed last. */
  witnessedSize: number;
  /** The size of the heads log that a time stamp covers, and when it was given. */
  stampedSize?: number;
  stampedAt?: Date | null;
  /** Why nothing is signed any more; null: the log goes on. */
  frozen: { at: Date; why: string } | null;
}

export interface LogTileDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  logId: string;
  level: number;
  index: number;
  /** 256 hashes. */
  hashes: Buffer;
}

const fixedText = { type: String, required: true, immutable: true };
const fixedNumber = { type: Number, required: true, immutable: true };

export const logSchema = new Schema<LogDocument>(
  {
    _id: fixedText,
    chain: fixedText,
    generation: fixedNumber,
    origin: fixedText,
    createdAt: { type: Date, required: true, immutable: true },
    size: { type: Number, default: 0 },
    root: { type: String, default: '' },
    head: { type: String, default: '' },
    headId: { type: Schema.Types.ObjectId, default: null },
    sealedAt: { type: Date, default: null },
    levels: { type: [Buffer], default: [] },
    witnessedSize: { type: Number, default: 0 },
    stampedSize: { type: Number, default: 0 },
    stampedAt: { type: Date, default: null },
    frozen: { type: Schema.Types.Mixed, default: null },
  },
  { collection: 'logs', autoIndex: false, versionKey: false },
);
logSchema.plugin(guardTenancy);
logSchema.index({ organizationId: 1, chain: 1, generation: -1 }, { name: 'chain', unique: true });

export const logTileSchema = new Schema<LogTileDocument>(
  {
    logId: fixedText,
    level: fixedNumber,
    index: fixedNumber,
    hashes: { type: Buffer, required: true, immutable: true },
  },
  { collection: 'log_tiles', autoIndex: false, versionKey: false },
);
logTileSchema.plugin(guardTenancy);
logTileSchema.index(
  { organizationId: 1, logId: 1, level: 1, index: 1 },
  { name: 'place', unique: true },
);
