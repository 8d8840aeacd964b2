// Word segments: blind words of rationale and triggering condition, for a run of decisions each (security.md).
import { Schema } from 'mongoose';
import { defineCollection, type DocumentOf, typeAs } from '../../../platform/mongo/collection.ts';

/** `words` is `Mixed`, since a declared list would cast its thousands of numbers one by one. */
export const wordSegmentSchema = defineCollection(
  'word_segments',
  {
    /** Sequences of the first and the last decision of the segment. */
    from: typeAs<number>(Number),
    to: typeAs<number>(Number),
    /** Each digest once. */
    words: typeAs<number[]>(Schema.Types.Mixed),
    /** The positions of the words, as `WordSegment` says. */
    places: typeAs<Buffer>(Buffer),
  },
  { versionKey: false },
);
export interface WordSegmentDocument extends DocumentOf<typeof wordSegmentSchema> {}
wordSegmentSchema.index({ organizationId: 1, from: 1 }, { name: 'run', unique: true });
wordSegmentSchema.index({ organizationId: 1, words: 1, from: -1 }, { name: 'words' });
