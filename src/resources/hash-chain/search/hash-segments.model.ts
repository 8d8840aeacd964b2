// Segments of chain hashes: the first digits of those of a run of entries, so that one is found by its beginning without an index over all (row ingest/R1).
import { Schema, type Types } from 'mongoose';
import { tenancy } from '../../../platform/mongo/tenancy.ts';

export interface HashSegmentDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** The sequence of its first entry; the others follow without a gap. */
  from: number;
  /** As `packedPrefixes` makes it. */
  prefixes: Buffer;
}

export const hashSegmentSchema = new Schema<HashSegmentDocument>(
  { from: Number, prefixes: Buffer },
  { collection: 'hash_segments', autoIndex: false, versionKey: false },
);
hashSegmentSchema.plugin(tenancy);
hashSegmentSchema.index({ organizationId: 1, from: 1 }, { name: 'run', unique: true });
