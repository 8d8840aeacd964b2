// Segments of chain hashes: prefixes for a run of entries, which replace an index over all hashes (row ingest/R1).
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../../platform/mongo/tenancy.ts';

export interface HashSegmentDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** The sequence of its first entry; the others follow without a gap. */
  from: number;
  /** The output of `packedPrefixes`. */
  prefixes: Buffer;
}

export const hashSegmentSchema = new Schema<HashSegmentDocument>(
  { from: Number, prefixes: Buffer },
  { collection: 'hash_segments', autoIndex: false, versionKey: false },
);
hashSegmentSchema.plugin(guardTenancy);
hashSegmentSchema.index({ organizationId: 1, from: 1 }, { name: 'run', unique: true });
