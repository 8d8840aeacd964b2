// Segments of chain hashes: prefixes for a run of entries, which replace an index over all hashes (row ingest/R1).
import { defineCollection, type DocumentOf, typeAs } from '../../../platform/mongo/collection.ts';

export const hashSegmentSchema = defineCollection(
  'hash_segments',
  {
    /** The sequence of its first entry; the others follow without a gap. */
    from: typeAs<number>(Number),
    /** The output of `packedPrefixes`. */
    prefixes: typeAs<Buffer>(Buffer),
  },
  { versionKey: false },
);
export interface HashSegmentDocument extends DocumentOf<typeof hashSegmentSchema> {}
hashSegmentSchema.index({ organizationId: 1, from: 1 }, { name: 'run', unique: true });
