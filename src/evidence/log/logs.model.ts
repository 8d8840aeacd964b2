// Witnessed logs: one for each chain of an organisation, and the heads log of the installation; with their tiles.
import { Schema } from 'mongoose';
import {
  allowAbsent,
  defineCollection,
  type DocumentOf,
  typeAs,
} from '../../platform/mongo/collection.ts';

/** The chain that a log is about; `heads`: the log of the checkpoints of all other logs. */
export type LogChain = 'ledger' | 'audit' | 'heads';

const fixedText = { type: String, required: true, immutable: true } as const;
const fixedNumber = { type: Number, required: true, immutable: true } as const;

export const logSchema = defineCollection(
  'logs',
  {
    /** 32 hex digits, made once; `heads` for the heads log. */
    _id: fixedText,
    chain: typeAs<LogChain>(fixedText),
    /** Counted from 1: a log that cannot go on is followed by another one of the same chain. */
    generation: fixedNumber,
    /** The name of the log and of its key; it never changes. */
    origin: fixedText,
    createdAt: { type: Date, required: true, immutable: true },
    /** Leaves of the newest signed tree. */
    size: { type: Number, default: 0 },
    /** Hex root of that tree. */
    root: { type: String, default: '' },
    /** The chain hash of its last leaf; empty: there is none, or the leaves are no chain hashes. */
    head: { type: String, default: '' },
    headId: { type: Schema.Types.ObjectId, default: null },
    sealedAt: { type: Date, default: null },
    /** The hashes of the partial tile of each level. */
    levels: { type: [Buffer], default: [] },
    /** The size of the heads log that enough witnesses have signed last. */
    witnessedSize: { type: Number, default: 0 },
    /** The size of the heads log that a time stamp covers, and when it was given. */
    stampedSize: allowAbsent({ type: Number, default: 0 }),
    stampedAt: allowAbsent({ type: Date, default: null }),
    /** Why nothing is signed any more; null: the log goes on. */
    frozen: typeAs<{ at: Date; why: string } | null>({ type: Schema.Types.Mixed, default: null }),
  },
  { versionKey: false },
);
export interface LogDocument extends DocumentOf<typeof logSchema> {}
logSchema.index({ organizationId: 1, chain: 1, generation: -1 }, { name: 'chain', unique: true });

export const logTileSchema = defineCollection(
  'log_tiles',
  {
    logId: fixedText,
    level: fixedNumber,
    index: fixedNumber,
    /** 256 hashes. */
    hashes: { type: Buffer, required: true, immutable: true },
  },
  { versionKey: false },
);
export interface LogTileDocument extends DocumentOf<typeof logTileSchema> {}
logTileSchema.index(
  { organizationId: 1, logId: 1, level: 1, index: 1 },
  { name: 'place', unique: true },
);
