// What the search finds decisions by: the blind words of their rationale and their triggering condition, a run of decisions each (docs/security.md).
import { Schema, type Types } from 'mongoose';
import type { WordSegment } from '../../../domain/search/word-segment.ts';
import { tenancy } from '../../../platform/mongo/tenancy.ts';

export interface WordSegmentDocument extends WordSegment {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** Sequences of the first and the last decision that it was made for. */
  from: number;
  to: number;
}

/** `words` is written as it is packed: thousands of numbers, which a declared list would cast one by one. */
export const wordSegmentSchema = new Schema<WordSegmentDocument>(
  { from: Number, to: Number, words: Schema.Types.Mixed, places: Buffer },
  { collection: 'word_segments', autoIndex: false, versionKey: false },
);
wordSegmentSchema.plugin(tenancy);
wordSegmentSchema.index({ organizationId: 1, from: 1 }, { name: 'run', unique: true });
wordSegmentSchema.index({ organizationId: 1, words: 1, from: -1 }, { name: 'words' });
